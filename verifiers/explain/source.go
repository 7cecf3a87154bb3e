package explain

import (
	"fmt"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// source reads what the records' sources said of them.
func (all tellings) source(f *folder) error {
	of := map[uint16]tellings{}
	for _, t := range all {
		of[t.life.Source] = append(of[t.life.Source], t)
	}
	for number, some := range of {
		files := f.histories(func(h harness.HistoryRecord) bool { return h.Role == "source" && h.Number == int(number) })
		if len(files) == 0 {
			some.missing("source %d left no history: whether the record was sent and acknowledged is not recorded", number)
		}
		for _, h := range files {
			if err := some.read(f, h, func(e history.Entry) {
				for _, t := range some {
					t.sourceSaid(h, e)
				}
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *telling) sourceSaid(h harness.HistoryRecord, e history.Entry) {
	seq := t.life.Sequence
	say := func(at history.Time, kind, format string, args ...any) {
		t.add(harness.LifeEvent{At: at, Process: h.Process, Pipeline: h.Pipeline, Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
	switch e := e.(type) {
	case *history.Intent:
		if seq >= e.First && seq-e.First < e.Count {
			t.intended = true
			say(e.At, "handed", "about to hand sequences %d to %d to its client", e.First, e.First+e.Count-1)
		}
	case *history.Acked:
		for _, r := range e.Spans {
			if i, ok := indexIn(r.SequenceSpan, seq); ok {
				t.acked = true
				t.acknowledged(r, i)
				say(e.At, "acked", "%s", ackText(t.short(t.logOf(t.life.Source)), r, i))
			}
		}
	case *history.Resolved:
		for _, r := range e.Spans {
			if _, ok := indexIn(r, seq); ok {
				t.acked = t.acked || e.Outcome == history.OutcomeConfirmed
				say(e.At, "settled", "%s", settledText(e))
			}
		}
	}
}

// acknowledged takes note of the place that an acknowledgement named.
func (t *telling) acknowledged(r history.AckSpan, i uint64) {
	if r.Offset >= 0 {
		t.named = append(t.named, harness.Place{Topic: t.logOf(t.life.Source), Partition: r.Partition, Offset: r.Offset + int64(i)})
	}
}

func ackText(topic string, r history.AckSpan, i uint64) string {
	if r.Offset < 0 {
		return fmt.Sprintf("acknowledged in %s/%d, without an offset", topic, r.Partition)
	}
	return fmt.Sprintf("acknowledged: stored in %s/%d at offset %d", topic, r.Partition, r.Offset+int64(i))
}

func settledText(e *history.Resolved) string {
	text := "its outcome is " + e.Outcome.String()
	if e.Sent {
		text = "written with acks=0: no acknowledgement was asked for"
	}
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// indexIn says which of a run's sequences one is.
func indexIn(r history.SequenceSpan, seq uint64) (i uint64, ok bool) {
	if seq < r.First || r.Count == 0 {
		return 0, false
	}
	if r.Stride == 0 {
		return 0, seq == r.First
	}
	i = (seq - r.First) / r.Stride
	return i, (seq-r.First)%r.Stride == 0 && i < r.Count
}

// read streams a history file and says what of it can't be read.
func (all tellings) read(f *folder, h harness.HistoryRecord, take func(history.Entry)) error {
	tail, err := history.ReadFile(filepath.Join(f.dir, h.File), func(e history.Entry) error {
		take(e)
		return nil
	})
	if missingFile(err) {
		all.missing("%s is missing", h.File)
		return nil
	}
	if err != nil {
		return err
	}
	if tail.LostBytes > 0 {
		all.missing("the last %d bytes of %s can't be read: %s", tail.LostBytes, h.File, tail.Reason)
	}
	return nil
}
