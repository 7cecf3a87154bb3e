package observe

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

// What is asked of a broker at each tick, in this order: a last stable offset below the high watermark was then really
// behind it, and a log end above it really beyond.
const (
	askHW = iota
	askLSO
	askLogEnd
	asks
)

// gathering is the time in which brokers answer usually: little beside the interval that a sample is good to.
const gathering = 4 * time.Millisecond

// asker asks one broker for its ends. All questions of a tick go out in one write over a connection of its own, which is
// kept until it fails: of a client's requests each takes several goroutines and their wake-ups, ninety times a second.
type asker struct {
	broker  int32
	address string
	dials   harness.Dials

	conn      *brokers.Conn
	unwatch   func() bool // lets go of the context that would close conn
	questions []kmsg.Request
	answer    *kmsg.ListOffsetsResponse
	buffer    []byte
	// ends are the answers of this tick.
	ends [asks]map[brokers.TP]brokers.Offset
}

func newAsker(broker int32, address string, dials harness.Dials, parts map[brokers.TP]int32) *asker {
	a := &asker{broker: broker, address: address, dials: dials, answer: kmsg.NewPtrListOffsetsResponse()}
	a.answer.SetVersion(brokers.RawListOffsets)
	for i, ask := range [asks]brokers.Ask{{Isolation: 0}, {Isolation: 1}, {LogEnd: true}} {
		ask.Timestamp, ask.Partitions = brokers.Latest, parts
		a.questions = append(a.questions, brokers.RawListOffsetsRequest(ask))
		a.ends[i] = map[brokers.TP]brokers.Offset{}
	}
	return a
}

// ask fills ends. It fails when the broker has not answered for as long as a link may be silent. An answer that took longer
// than a sample may is not fresh: who knows when it was true.
func (a *asker) ask(ctx context.Context) (fresh bool, err error) {
	begin := time.Now()
	if a.conn == nil {
		if err := a.dial(ctx); err != nil {
			return false, err
		}
	}
	if err := a.exchange(ctx); err != nil {
		a.close()
		return false, err
	}
	return time.Since(begin) <= sampleTimeout, nil
}

func (a *asker) dial(ctx context.Context) (err error) {
	dialCtx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	if a.conn, err = brokers.Dial(dialCtx, a.dials, a.address, clientID, linkTimeout); err == nil {
		a.unwatch = context.AfterFunc(ctx, a.conn.Close)
	}
	return err
}

// exchange sends the questions and reads the answers. It lets them gather first: to be woken for each of them, from each
// broker, takes more of a processor (in turns on one cluster, 2026-11-30: 2.18 and 2.07 % of a core, gathered 2.02 and 1.96,
// beside a busy machine).
func (a *asker) exchange(ctx context.Context) error {
	if err := a.conn.Send(a.questions...); err != nil {
		return err
	}
	if err := wait.Sleep(ctx, gathering); err != nil {
		return err
	}
	for i := range a.ends {
		var err error
		if a.buffer, err = a.conn.Receive(a.buffer, a.answer); err != nil {
			return err
		}
		clear(a.ends[i])
		brokers.ReadOffsets(a.answer, a.ends[i])
	}
	return nil
}

func (a *asker) close() {
	if a.conn != nil {
		a.unwatch()
		a.conn.Close()
		a.conn = nil
	}
}
