package jepsen

import "github.com/chaeos/chaeos/harness/history"

// live tells what the live read_committed reader was given of the row's outputs.
type live struct {
	row     *row
	by      string
	process int
	// taken is the poll whose partitions are not all known yet: they carry one time.
	taken *op
	at    history.Time
}

func (l *live) holds() bool { return l.taken != nil }

func (l *live) take(e history.Entry, q *queue) error {
	switch e := e.(type) {
	case *history.Process:
		q.both(e.At, &op{f: fAssign, by: l.by, process: l.process, outcome: ok, keys: l.row.outputKeys(), fromStart: true})
	case *history.DeliveredLive:
		number, known := l.row.keys.numberOf(e.Topic, e.Partition)
		if !known {
			break
		}
		if l.at != e.At {
			l.flush(q)
		}
		if l.taken == nil {
			l.taken, l.at = &op{f: fPoll, by: l.by, process: l.process, outcome: ok}, e.At
		}
		l.taken.polls = append(l.taken.polls, poll{log: l.row.outputs[number], from: e.From, to: e.To, count: e.Count, by: l.row.wall(e.At)})
		return nil
	}
	if history.When(e) != l.at {
		l.flush(q)
	}
	return nil
}

func (l *live) flush(q *queue) {
	if l.taken != nil {
		q.both(l.at, l.taken)
		l.taken = nil
	}
}

func (l *live) end(_ history.Tail, q *queue) error {
	l.flush(q)
	return nil
}
