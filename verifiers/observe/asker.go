package observe

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

// What is asked of a broker at each tick, in this order: a last stable offset below the high watermark is then really
// behind it, and a log end above it really beyond.
const (
	askHW = iota
	askLSO
	askLogEnd
	asks
)

var offsetsAsked = [asks]ask.LogOffset{askHW: ask.HighWatermark, askLSO: ask.LastStableOffset, askLogEnd: ask.LogEnd}

// rawListOffsets is the version of these questions: the first in which brokers say that they can't know an offset yet, and
// one that all since 2.3 know.
const rawListOffsets = 5

// gathering is the time in which brokers usually answer. It is short compared with the interval that a sample is accurate
// to. A broker that has not answered by then gets a goroutine of its own.
const gathering = 10 * time.Millisecond

// asker asks one broker for its logs' offsets. All questions of a tick go out in one write over a connection of its own,
// which is kept until it fails: each request of a client takes several goroutines and their wake-ups, ninety times a second.
type asker struct {
	broker  int32
	address string
	dials   harness.Dials

	// busy is set while a goroutine of its own dials the broker, or waits for its answers.
	busy      atomic.Bool
	conn      *brokers.Conn
	unwatch   func() bool // detaches conn from the context that would close it
	asked     time.Time
	questions []kmsg.Request
	answer    *kmsg.ListOffsetsResponse
	buffer    []byte
	// ends are the answers of this tick.
	ends [asks]map[ask.TopicPartition]ask.Offset

	// views is asked after them, in every viewEvery-th tick.
	views  *kmsg.MetadataRequest
	ticks  int
	viewed bool // the questions that are out end with it
	// view is its answer, recorded what was last written of it.
	view     *kmsg.MetadataResponse
	recorded map[ask.TopicPartition]view
}

func newAsker(broker int32, address string, dials harness.Dials, parts map[ask.TopicPartition]int32) *asker {
	a := &asker{broker: broker, address: address, dials: dials, answer: kmsg.NewPtrListOffsetsResponse()}
	a.answer.SetVersion(rawListOffsets)
	a.views, a.view, a.recorded = viewsOf(parts), kmsg.NewPtrMetadataResponse(), map[ask.TopicPartition]view{}
	a.view.SetVersion(rawMetadata)
	for i, which := range offsetsAsked {
		req := ask.OffsetsRequest(which, parts)
		req.SetVersion(rawListOffsets)
		a.questions = append(a.questions, req)
		a.ends[i] = map[ask.TopicPartition]ask.Offset{}
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

// answered reports whether all answers are there, so that receive takes no time.
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
// be silent. Answers that took longer than a sample may are not fresh: when they were true is unknown.
func (a *asker) receive() (fresh bool, err error) {
	for i := range a.ends {
		if err := a.next(a.answer); err != nil {
			return false, err
		}
		clear(a.ends[i])
		ask.ReadOffsets(a.answer, a.ends[i])
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
