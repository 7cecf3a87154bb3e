package saved

import "github.com/chaeos/chaeos/harness/history"

// Taken is what a worker was given of one input partition in polls that follow one another without a gap between their records'
// offsets: offsets [From, To) with Count records. A poll with gaps is one by itself.
type Taken struct {
	Partition int32
	From, To  int64
	Count     uint64
	// At is its first poll.
	At history.Time
	// Fresh reports whether the worker may have begun again there: after an assignment, or by going back.
	Fresh bool
}

func (t *Taken) dense() bool { return t.Count == uint64(t.To-t.From) }

// taken collects them for one incarnation, in the order of the polls.
type taken struct {
	all []Taken
	// last is the newest of each partition in all, which the next poll may follow.
	last map[int32]int
}

func (x *taken) add(e history.Entry) {
	switch e := e.(type) {
	case *history.Assigned:
		x.forget(e.Partitions)
	case *history.Revoked:
		x.forget(e.Partitions)
	case *history.Polled:
		x.polled(e)
	}
}

func (x *taken) forget(partitions []int32) {
	for _, p := range partitions {
		delete(x.last, p)
	}
}

func (x *taken) polled(e *history.Polled) {
	next := Taken{Partition: e.Partition, From: e.From, To: e.To, Count: e.Count, At: e.At, Fresh: true}
	if i, ok := x.last[e.Partition]; ok {
		before := &x.all[i]
		next.Fresh = e.From < before.To
		if e.From == before.To && e.To > e.From && before.dense() && next.dense() {
			before.To, before.Count = e.To, before.Count+e.Count
			return
		}
	}
	if x.last == nil {
		x.last = map[int32]int{}
	}
	x.last[e.Partition] = len(x.all)
	x.all = append(x.all, next)
}

// Taken lists what the worker was given of the input, in order.
func (w *Worker) Taken() []Taken { return w.taken.all }
