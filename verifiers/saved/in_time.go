package saved

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// timed are the histories that say what was offered and what became visible: those of the sources and of the observer.
// They are read side by side in time order, so that no timeline has to be kept.
type timed struct {
	run     *Run
	streams []*timedStream
	// handed and acked are the rows that a source's records are offered to, shown the rows that show an output topic.
	handed, acked map[uint16][][]*Meter
	shown         map[string][][]*Meter
}

// timedStream is one history, and its next entry, which has to wait for its turn.
type timedStream struct {
	*loading
	next history.Entry
	at   history.Time
}

func newTimed(r *Run, files []*loading) *timed {
	t := &timed{run: r, handed: map[uint16][][]*Meter{}, acked: map[uint16][][]*Meter{}, shown: map[string][][]*Meter{}}
	for _, layout := range r.Record.Plan.Pipelines {
		meters := make([]*Meter, r.OutputPartitions(layout))
		for p := range meters {
			meters[p] = NewMeter(r.Record)
		}
		r.Meters[layout.Name] = meters
		for i, topic := range layout.Outputs() {
			t.follow(layout, topic, meters[i*r.Record.Plan.Partitions:(i+1)*r.Record.Plan.Partitions])
		}
	}
	// At the same moment supply comes before progress: sources first.
	for _, role := range []bool{true, false} {
		for _, f := range files {
			if (f.record.Role == RoleSource) == role && f.record.Role != RoleWorker {
				t.streams = append(t.streams, &timedStream{loading: f})
			}
		}
	}
	return t
}

// follow feeds the meters of one output topic's partitions.
func (t *timed) follow(layout harness.PipelineLayout, topic string, meters []*Meter) {
	t.shown[topic] = append(t.shown[topic], meters)
	if layout.ProducerOnly {
		t.handed[layout.Source] = append(t.handed[layout.Source], meters)
	} else {
		t.acked[layout.Source] = append(t.acked[layout.Source], meters)
	}
}

// read goes through all streams.
func (t *timed) read() {
	for _, s := range t.streams {
		s.advance()
	}
	for {
		var first *timedStream
		for _, s := range t.streams {
			if s.next != nil && (first == nil || s.at < first.at) {
				first = s
			}
		}
		if first == nil {
			break
		}
		t.take(first)
		first.advance()
	}
	for _, meters := range t.run.Meters {
		for _, m := range meters {
			m.finish()
		}
	}
}

// advance finds the next entry that has a place in time; others are taken at once. An entry that was written
// after one with a later time, as two goroutines may do, counts as of that time.
func (s *timedStream) advance() {
	for s.next = s.read(); s.next != nil; s.next = s.read() {
		var at history.Time
		switch e := s.next.(type) {
		case *history.Intent:
			at = e.At
		case *history.Acked:
			at = e.At
		case *history.DeliveredLive:
			at = e.At
		default:
			s.take(s.next)
			continue
		}
		s.at = max(s.at, at)
		return
	}
}

func (t *timed) take(s *timedStream) {
	number := uint16(s.record.Number)
	switch e := s.next.(type) {
	case *history.Intent:
		if s.source != nil {
			s.source.intent(e, func(partition int32, n uint64) { feed(t.handed[number], partition, s.at, n, (*Meter).supply) })
			s.source.Txns.add(e, uint32(s.record.Incarnation))
		}
		return
	case *history.Acked:
		for i := range e.Spans {
			if s.source != nil {
				feed(t.acked[number], e.Spans[i].Partition, s.at, e.Spans[i].Count, (*Meter).supply)
			}
		}
	case *history.DeliveredLive:
		feed(t.shown[e.Topic], e.Partition, s.at, e.New, (*Meter).progress)
	}
	s.take(s.next)
}

func feed(rows [][]*Meter, partition int32, at history.Time, n uint64, do func(*Meter, history.Time, uint64)) {
	for _, meters := range rows {
		if partition >= 0 && int(partition) < len(meters) {
			do(meters[partition], at, n)
		}
	}
}
