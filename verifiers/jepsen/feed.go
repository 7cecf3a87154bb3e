package jepsen

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// teller makes events of one history's entries, which are used again after the call.
type teller interface {
	take(e history.Entry, q *queue) error
	// end is called after the last entry.
	end(tail history.Tail, q *queue) error
	// holds reports whether an operation in the queue isn't known in full yet.
	holds() bool
}

// queue are events that are not written yet, in order of time.
type queue struct {
	events []event
	last   history.Time
}

// add queues an event. Entries are written by several goroutines, microseconds out of order: times never go back.
func (q *queue) add(at history.Time, completes bool, o *op) {
	q.last = max(q.last, at)
	q.events = append(q.events, event{q.last, completes, o})
}

// both queues an operation of which only one time is known.
func (q *queue) both(at history.Time, o *op) {
	q.add(at, false, o)
	q.add(at, true, o)
}

// feed is the stream of events of one history.
type feed struct {
	teller teller
	in     *history.Reader
	queue  queue
	ended  bool
}

// openFeed opens a history; nil without an error is one that is missing.
func openFeed(dir string, h harness.HistoryRecord, t teller) (*feed, error) {
	in, err := history.Open(filepath.Join(dir, h.File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &feed{teller: t, in: in}, nil
}

// head is the next event, nil after the last.
func (f *feed) head() (*event, error) {
	for !f.ended && (len(f.queue.events) == 0 || f.teller.holds()) {
		var err error
		if e := f.in.Next(); e != nil {
			err = f.teller.take(e, &f.queue)
		} else {
			f.ended = true
			err = f.teller.end(f.in.Tail(), &f.queue)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(f.queue.events) == 0 {
		return nil, nil
	}
	return &f.queue.events[0], nil
}

func (f *feed) pop() { f.queue.events = f.queue.events[1:] }

// merge writes the events of all feeds in order of time. At the same time invocations come first: operations then
// overlap, and nothing is claimed of their order.
func merge(feeds []*feed, w *writer) error {
	for {
		var first *feed
		var least *event
		for _, f := range feeds {
			e, err := f.head()
			if err != nil {
				return err
			}
			if e != nil && (least == nil || e.before(least)) {
				first, least = f, e
			}
		}
		if first == nil {
			return nil
		}
		if err := w.write(*least); err != nil {
			return err
		}
		first.pop()
	}
}

func (e *event) before(other *event) bool {
	if e.at != other.at {
		return e.at < other.at
	}
	return !e.completes && other.completes
}
