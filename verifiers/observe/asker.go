package observe

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
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

// gathering is the time in which brokers answer usually: little beside the interval that a sample is good to. Who has not
// answered by then gets a goroutine of its own.
const gathering = 10 * time.Millisecond

// asker asks one broker for its ends. All questions of a tick go out in one write over a connection of its own, which is
// kept until it fails: of a client's requests each takes several goroutines and their wake-ups, ninety times a second.
type asker struct {
	broker  int32
	address string
	dials   harness.Dials

	// busy is set while a goroutine of its own dials the broker, or waits for its answers.
	busy      atomic.Bool
	conn      *brokers.Conn
	unwatch   func() bool // lets go of the context that would close conn
	asked     time.Time
	questions []kmsg.Request
	answer    *kmsg.ListOffsetsResponse
	buffer    []byte
	// ends are the answers of this tick.
	ends [asks]map[brokers.TP]brokers.Offset

	// views is asked after them, in every viewEvery-th tick.
	views  *kmsg.MetadataRequest
	ticks  int
	viewed bool // the questions that are out end with it
	// view is its answer, seen what was recorded last of it.
	view *kmsg.MetadataResponse
	seen map[brokers.TP]view
}

func newAsker(broker int32, address string, dials harness.Dials, parts map[brokers.TP]int32) *asker {
	a := &asker{broker: broker, address: address, dials: dials, answer: kmsg.NewPtrListOffsetsResponse()}
	a.answer.SetVersion(brokers.RawListOffsets)
	a.views, a.view, a.seen = viewsOf(parts), kmsg.NewPtrMetadataResponse(), map[brokers.TP]view{}
	a.view.SetVersion(rawMetadata)
	for i, ask := range [asks]brokers.Ask{{Isolation: 0}, {Isolation: 1}, {LogEnd: true}} {
		ask.Timestamp, ask.Partitions = brokers.Latest, parts
		a.questions = append(a.questions, brokers.RawListOffsetsRequest(ask))
		a.ends[i] = map[brokers.TP]brokers.Offset{}
	}
	return a
}

// ask sends the questions, over a new connection where there is none.
func (a *asker) ask(ctx context.Context) error {
	a.asked = time.Now()
	if a.conn == nil {
		if err := a.dial(ctx); err != nil {
			return err
		}
	}
	questions := a.questions
	if a.viewed = a.ticks%viewEvery == 0; a.viewed {
		questions = append(questions, a.views)
	}
	a.ticks++
	if err := a.conn.Send(questions...); err != nil {
		a.close()
		return err
	}
	return nil
}

func (a *asker) dial(ctx context.Context) (err error) {
	dialCtx, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	if a.conn, err = brokers.Dial(dialCtx, a.dials, a.address, clientID, linkTimeout); err == nil {
		a.conn.Gather()
		a.unwatch = context.AfterFunc(ctx, a.conn.Close)
	}
	return err
}

// answered says whether all answers are there, so that receive takes no time.
func (a *asker) answered() bool {
	if a.viewed {
		return a.conn.Holds(asks + 1)
	}
	return a.conn.Holds(asks)
}

// await receives what is not there yet.
func (a *asker) await() (fresh bool, err error) {
	a.conn.Wake()
	if fresh, err = a.receive(); err == nil {
		a.conn.Gather()
	}
	return fresh, err
}

// receive fills ends, and view where that was asked for. It fails when the broker has not answered for as long as a link may
// be silent. Answers that took longer than a sample may are not fresh: who knows when they were true.
func (a *asker) receive() (fresh bool, err error) {
	for i := range a.ends {
		if err := a.next(a.answer); err != nil {
			return false, err
		}
		clear(a.ends[i])
		brokers.ReadOffsets(a.answer, a.ends[i])
	}
	if a.viewed {
		err = a.next(a.view)
	}
	return time.Since(a.asked) <= sampleTimeout, err
}

func (a *asker) next(answer kmsg.Response) (err error) {
	if a.buffer, err = a.conn.Receive(a.buffer, answer); err != nil {
		a.close()
	}
	return err
}

func (a *asker) close() {
	if a.conn != nil {
		a.unwatch()
		a.conn.Close()
		a.conn = nil
	}
}
