package brokers

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// maxAnswer bounds an answer, in bytes: a damaged length must not make its reader allocate the machine.
const maxAnswer = 1 << 30

// readAhead is enough for the answers of several small requests, and little to copy where one is large.
const readAhead = 16 << 10

// grain is the step in which buffers grow: answers to one question differ by a few bytes, which must not cost a new buffer.
const grain = 64 << 10

// Conn is a connection to one broker. Several requests go out in one write, and answers are read into a buffer that is used
// again. A broker answers requests in the order in which they were sent. After an error a Conn is of no more use. One
// goroutine uses it; Close may come from another.
type Conn struct {
	conn    net.Conn
	come    *arrivals
	in      *bufio.Reader
	format  *kmsg.RequestFormatter
	timeout time.Duration
	until   time.Time // when the answers that are still due are given up
	out     []byte
	// sent and received count requests and answers: they are the correlation ids.
	sent, received int32
}

// Dial connects to the broker that advertises an address. Each Send, and each Receive after it, may take at least timeout
// and at most half as long again: moving a deadline at every request would cost more than the requests.
func Dial(ctx context.Context, dials harness.Dials, address, clientID string, timeout time.Duration) (*Conn, error) {
	conn, err := dials.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	come := newArrivals(conn)
	return &Conn{
		conn: conn, come: come, in: bufio.NewReaderSize(come, readAhead), timeout: timeout,
		format: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)),
	}, nil
}

// Close ends the connection, and whatever waits for it.
func (c *Conn) Close() {
	c.conn.Close()
}

// Send sends requests with one write. Each must have its version set.
func (c *Conn) Send(requests ...kmsg.Request) error {
	c.out = c.out[:0]
	for _, r := range requests {
		// AppendRequest counts the length from the start of what it is given.
		whole := c.format.AppendRequest(c.out[len(c.out):], r, c.sent)
		c.out = append(c.out, whole...)
		c.sent++
	}
	return c.write()
}

func (c *Conn) write() error {
	if now := time.Now(); c.until.Sub(now) < c.timeout {
		c.until = now.Add(c.timeout + c.timeout/2)
		if err := c.conn.SetDeadline(c.until); err != nil {
			return err
		}
	}
	_, err := c.conn.Write(c.out)
	return err
}

// Gather lets answers arrive without waking anything, until Wake. It is for a caller that asks many brokers at once and
// looks after a while whether all answers are there (Holds): otherwise each answer costs a wake-up.
func (c *Conn) Gather() { c.come.wakeAt(readAhead) }

// Wake ends Gather. While gathering, Receive may be called only for answers that Holds reports.
func (c *Conn) Wake() { c.come.wakeAt(1) }

// Holds reports whether that many whole answers are there, without waiting: Receive then returns each of them at once.
// Answers larger than what is read ahead are never held. A lost connection is no error here: Receive returns it.
func (c *Conn) Holds(answers int) bool {
	c.come.looking = true
	defer func() { c.come.looking = false }()
	return c.holds(answers)
}

func (c *Conn) holds(answers int) bool {
	const length = 4
	end := 0
	for range answers {
		head, err := c.in.Peek(end + length)
		if err != nil {
			return false
		}
		size := binary.BigEndian.Uint32(head[end:])
		if size > readAhead {
			return false
		}
		end += length + int(size)
		if _, err := c.in.Peek(end); err != nil {
			return false
		}
	}
	return true
}

// Receive reads the next answer into response. The answer's bytes are in the buffer that it returns: the given one, or a
// larger one. What response holds of them is valid until that buffer is used again.
func (c *Conn) Receive(buffer []byte, response kmsg.Response) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return buffer, err
	}
	size := int64(binary.BigEndian.Uint32(head[:])) - 4
	if size < 0 || size > maxAnswer {
		return buffer, fmt.Errorf("the answer's length is %d bytes", size)
	}
	if id := int32(binary.BigEndian.Uint32(head[4:])); id != c.received {
		return buffer, fmt.Errorf("answer %d came where %d was due", id, c.received)
	}
	c.received++
	if int64(cap(buffer)) < size {
		buffer = make([]byte, size, (size+grain-1)/grain*grain)
	}
	buffer = buffer[:size]
	if _, err := io.ReadFull(c.in, buffer); err != nil {
		return buffer, err
	}
	body := buffer
	if response.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return buffer, errors.New("the answer's header has tags that were not asked for")
		}
		body = body[1:]
	}
	return buffer, response.ReadFrom(body)
}
