package causes

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// What proves that a range of a log was there once, best first: a reader that got it, a high watermark above it, a
// leader's log end above it, an acknowledgement that named it, a record in its place that was sent later.
const (
	seenByReader    = "live reader"
	seenByWatermark = "high watermark"
	seenByLogEnd    = "log end"
	seenByAck       = "acknowledgement"
	seenByRecord    = "a later record in its place"
)

// truncated lists the ranges of a partition's log that were there once and are gone, or hold later records: from where a
// newer leader epoch's batches begin up to what an older epoch showed. A log that was not read to its end proves nothing.
func truncated(p *logs.Partition, l *saved.Live) []harness.Truncation {
	if !p.Whole {
		return nil
	}
	var all []harness.Truncation
	note := func(epoch int32, to int64, seenBy string, committed bool) {
		from, newer := p.StartAfter(epoch)
		if from < to {
			all = append(all, harness.Truncation{
				Topic: p.At.Topic, Partition: p.At.Partition, From: from, To: to, OldEpoch: epoch, NewEpoch: newer, SeenBy: seenBy, Committed: committed,
			})
		}
	}
	if seen := l.DeliveredTo[p.At]; seen > p.End {
		all = append(all, harness.Truncation{
			Topic: p.At.Topic, Partition: p.At.Partition, From: p.End, To: seen, OldEpoch: l.EpochAt(p.At, seen), NewEpoch: p.Newest(), SeenBy: seenByReader, Committed: true,
		})
	}
	for _, epoch := range slices.Sorted(maps.Keys(l.Highest[p.At])) {
		note(epoch, l.Highest[p.At][epoch], seenByWatermark, true)
	}
	for _, epoch := range slices.Sorted(maps.Keys(l.LogEnds[p.At])) {
		note(epoch, l.LogEnds[p.At][epoch], seenByLogEnd, false)
	}
	return all
}

// Truncated returns whether a log is known to have held other records once at an offset: samples show it, or a recorded fault cut
// a replica there.
func Truncated(r *saved.Run, p *logs.Partition) func(offset int64) bool {
	seen := Truncations{p.Number: truncated(p, r.Live)}
	cut := int64(math.MaxInt64)
	for _, f := range r.Record.Faults {
		for _, l := range f.Lasting {
			if l.What == harness.LogWasCut && l.Topic == p.At.Topic && l.Partition == p.At.Partition {
				cut = min(cut, l.To)
			}
		}
	}
	return func(offset int64) bool { return offset >= cut || seen.at(p.Number, offset) != nil }
}

// Truncations are a row's, by output partition.
type Truncations map[int32][]harness.Truncation

// at finds the truncation that took an offset, the best proof first.
func (t Truncations) at(partition int32, offset int64) *harness.Truncation {
	for i := range t[partition] {
		if x := &t[partition][i]; offset >= x.From && offset < x.To {
			return x
		}
	}
	return nil
}

// Length is how many offsets of a partition were cut off. Ranges may overlap, and may leave sound ones between them.
func (t Truncations) Length(partition int32) (n int64) {
	ranges := slices.Clone(t[partition])
	slices.SortFunc(ranges, func(a, b harness.Truncation) int { return cmp.Compare(a.From, b.From) })
	counted := int64(0)
	for _, x := range ranges {
		from := max(counted, x.From)
		n += max(0, x.To-from)
		counted = max(counted, x.To)
	}
	return n
}

func findTruncations(parts []*logs.Partition, l *saved.Live) Truncations {
	all := Truncations{}
	for _, p := range parts {
		if found := truncated(p, l); len(found) > 0 {
			all[p.Number] = found
		}
	}
	return all
}

// notes says of each partition what was cut off: what readers could have got, and what only a leader had.
func (t Truncations) notes() []string {
	var texts []string
	for _, p := range slices.Sorted(maps.Keys(t)) {
		widest := map[bool]*harness.Truncation{}
		for i := range t[p] {
			x := &t[p][i]
			if w := widest[x.Committed]; w == nil || x.To-x.From > w.To-w.From {
				widest[x.Committed] = x
			}
		}
		texts = append(texts, describeTruncations(widest[true], widest[false])...)
	}
	return texts
}

// describeTruncations describes what was cut off below the high watermark, and above it what the first range does not hold: a
// leader's log end shows both.
func describeTruncations(below, above *harness.Truncation) (texts []string) {
	if below != nil {
		texts = append(texts, describeTruncation(below))
	}
	if above == nil {
		return texts
	}
	rest := *above
	if below != nil && below.From <= rest.From && rest.From < below.To {
		rest.From = below.To
	}
	if rest.From < rest.To {
		texts = append(texts, describeTruncation(&rest))
	}
	return texts
}

// betweenEpochs says when a record was cut off, and what shows that.
func betweenEpochs(t *harness.Truncation) string {
	switch {
	case t.SeenBy == seenByRecord:
		return fmt.Sprintf(" before leader epoch %d wrote there (%s)", t.NewEpoch, t.SeenBy)
	case t.OldEpoch < 0:
		return fmt.Sprintf(" by leader epoch %d (%s)", t.NewEpoch, t.SeenBy)
	}
	return fmt.Sprintf(" between leader epochs %d and %d (%s)", t.OldEpoch, t.NewEpoch, t.SeenBy)
}

func describeTruncation(x *harness.Truncation) string {
	what := "were below the high watermark"
	if !x.Committed {
		what = "were in the leader's log, above the high watermark"
	}
	text := fmt.Sprintf("%s/%d: offsets %d to %d %s", x.Topic, x.Partition, x.From, x.To-1, what)
	if x.OldEpoch >= 0 {
		text += fmt.Sprintf(" in leader epoch %d", x.OldEpoch)
	}
	return text + fmt.Sprintf(" (%s), and are now gone or hold later records of leader epoch %d: the log was truncated", x.SeenBy, x.NewEpoch)
}

// AckSlack is how long after an acknowledgement it may be written down, and how long a claim to lead holds after the
// sample that showed it.
const AckSlack = saved.GapIntervals * saved.SampleInterval

// byAcknowledgement takes the acknowledgement itself as the proof: it came while a broker led in an epoch whose batches
// end below the offset that it named, so what that broker had stored there is gone. An acknowledgement that could have
// come from the newer leader, which still has its log, proves nothing.
func byAcknowledgement(p *logs.Partition, l *saved.Live, offset int64, at history.Time) *harness.Truncation {
	for _, epoch := range slices.Sorted(maps.Keys(l.Leaderships[p.At])) {
		c := l.Leaderships[p.At][epoch]
		if at < c.First || at > c.Last.Add(AckSlack) {
			continue
		}
		from, newer := p.StartAfter(epoch)
		if offset < from && p.EpochAt(offset) < epoch {
			from = offset // an older leader came back before it had cut its log off, and has its own records there
		}
		if !p.Whole || newer <= epoch || offset < from {
			return nil
		}
		return &harness.Truncation{
			Topic: p.At.Topic, Partition: p.At.Partition, From: from, To: offset + 1, OldEpoch: epoch, NewEpoch: newer, SeenBy: seenByAck,
		}
	}
	return nil
}

// DeletionOf says how far a partition's log start moved, and which recorded fault moved it that far; nil if the log
// still starts at 0.
func DeletionOf(r *saved.Run, p *logs.Partition) *harness.Deletion {
	if p.Info.LogStart <= 0 {
		return nil
	}
	d := &harness.Deletion{Topic: p.At.Topic, Partition: p.At.Partition, LogStart: p.Info.LogStart}
	for _, f := range r.Record.Faults {
		if f.Injected != 0 && moves(f, p, p.Info.LogStart) {
			d.Fault = f.Fault + " " + f.Target
		}
	}
	return d
}

// Deleted reports whether a fault recorded that it moved a partition's log start at least to an offset above 0.
func Deleted(r *saved.Run, p *logs.Partition, start int64) bool {
	return start > 0 && slices.ContainsFunc(r.Record.Faults, func(f harness.FaultRecord) bool { return f.Injected != 0 && moves(f, p, start) })
}

func moves(f harness.FaultRecord, p *logs.Partition, start int64) bool {
	for _, l := range f.Lasting {
		if l.What == harness.LogStartMoved && l.Topic == p.At.Topic && l.Partition == p.At.Partition && l.To >= start {
			return true
		}
	}
	return false
}

// DescribeDeletion says in a few words where a log starts, and why.
func DescribeDeletion(d *harness.Deletion) string {
	text := fmt.Sprintf("%s/%d starts at offset %d", d.Topic, d.Partition, d.LogStart)
	if d.Fault == "" {
		return text + ", and no fault deletes records"
	}
	return text + ": moved by " + d.Fault
}
