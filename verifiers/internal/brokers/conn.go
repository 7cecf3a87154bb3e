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

// Conn is a connection to one broker past the client library, for what is asked often or answers much: several requests
// go out in one write, and answers are read into a buffer that is used again. A broker answers them in the order in which
// they were sent. After an error a Conn is of no use any more. One goroutine uses it; Close may come from another.
type Conn struct {
	conn    net.Conn
	in      *bufio.Reader
	format  *kmsg.RequestFormatter
	timeout time.Duration
	until   time.Time // when the answers that are out are given up
	out     []byte
	// sent and received count requests and answers: they are the correlation ids.
	sent, received int32
}

// Dial connects to the broker that advertises an address. Each Send and each Receive may take as long as the timeout.
func Dial(ctx context.Context, dials harness.Dials, address, clientID string, timeout time.Duration) (*Conn, error) {
	conn, err := dials.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &Conn{
		conn: conn, in: bufio.NewReaderSize(conn, readAhead), timeout: timeout,
		format: kmsg.NewRequestFormatter(kmsg.FormatterClientID(clientID)),
	}, nil
}

// Close ends the connection, and whatever waits on it.
func (c *Conn) Close() {
	c.conn.Close()
}

// Send sends requests, of which each must have a version, with one write.
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
	c.until = time.Now().Add(c.timeout)
	if err := c.conn.SetDeadline(c.until); err != nil {
		return err
	}
	_, err := c.conn.Write(c.out)
	return err
}

// Holds says whether so many whole answers are there, or come within the time: Receive then returns each of them at once.
// Answers that are larger than what is read ahead are never held. It is no error that none comes, or that the connection
// is lost: Receive says that.
func (c *Conn) Holds(answers int, within time.Duration) bool {
	if c.conn.SetReadDeadline(time.Now().Add(within)) != nil {
		return false
	}
	held := c.holds(answers)
	return c.conn.SetReadDeadline(c.until) == nil && held
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

// Receive reads the next answer into response. The answer's bytes are in the buffer that is returned: the one given, or a
// larger one; what response holds of them stands until that is used again.
func (c *Conn) Receive(buffer []byte, response kmsg.Response) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return buffer, err
	}
	size := int64(binary.BigEndian.Uint32(head[:])) - 4
	if size < 0 || size > maxAnswer {
		return buffer, fmt.Errorf("an answer of %d bytes", size)
	}
	if id := int32(binary.BigEndian.Uint32(head[4:])); id != c.received {
		return buffer, fmt.Errorf("answer %d came where %d was due", id, c.received)
	}
	c.received++
	if int64(cap(buffer)) < size {
		buffer = make([]byte, size)
	}
	buffer = buffer[:size]
	if _, err := io.ReadFull(c.in, buffer); err != nil {
		return buffer, err
	}
	body := buffer
	if response.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return buffer, errors.New("an answer whose header has tags that nobody asked for")
		}
		body = body[1:]
	}
	return buffer, response.ReadFrom(body)
}
