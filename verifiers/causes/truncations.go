package verifiers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// What proves that a range of a log was there once, best first: a reader that was given it, a high watermark above it, a
// leader's log end above it, an acknowledgement that named it.
const (
	seenByReader    = "live reader"
	seenByWatermark = "high watermark"
	seenByLogEnd    = "log end"
	seenByAck       = "acknowledgement"
)

// truncated lists the ranges of a partition's log that were there once and are gone, or hold later records: from where a
// newer leader epoch's batches begin up to what an older epoch showed. A log that was not read to its end proves nothing.
func truncated(p *partLog, l *liveLog) []harness.Truncation {
	if !p.whole {
		return nil
	}
	var all []harness.Truncation
	note := func(epoch int32, to int64, seenBy string, committed bool) {
		from, newer := p.startAfter(epoch)
		if from < to {
			all = append(all, harness.Truncation{
				Topic: p.at.topic, Partition: p.at.partition, From: from, To: to, OldEpoch: epoch, NewEpoch: newer, SeenBy: seenBy, Committed: committed,
			})
		}
	}
	if seen := l.seenTo[p.at]; seen > p.end {
		all = append(all, harness.Truncation{
			Topic: p.at.topic, Partition: p.at.partition, From: p.end, To: seen, OldEpoch: l.epochAt(p.at, seen), NewEpoch: p.newest(), SeenBy: seenByReader, Committed: true,
		})
	}
	for _, epoch := range slices.Sorted(maps.Keys(l.highest[p.at])) {
		note(epoch, l.highest[p.at][epoch], seenByWatermark, true)
	}
	for _, epoch := range slices.Sorted(maps.Keys(l.logEnds[p.at])) {
		note(epoch, l.logEnds[p.at][epoch], seenByLogEnd, false)
	}
	return all
}

// truncations are a row's, by output partition.
type truncations map[int32][]harness.Truncation

// at finds the truncation that took an offset, the best proof first.
func (t truncations) at(partition int32, offset int64) *harness.Truncation {
	for i := range t[partition] {
		if x := &t[partition][i]; offset >= x.From && offset < x.To {
			return x
		}
	}
	return nil
}

// length is how many offsets of a partition were cut off: ranges may overlap, and leave what is sound between them.
func (t truncations) length(partition int32) (n int64) {
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

func findTruncations(parts []*partLog, l *liveLog) truncations {
	all := truncations{}
	for _, p := range parts {
		if found := truncated(p, l); len(found) > 0 {
			all[p.number] = found
		}
	}
	return all
}

// notes says of each partition what was cut off: what readers could have been given, and what only a leader had.
func (t truncations) notes() []string {
	var texts []string
	for _, p := range slices.Sorted(maps.Keys(t)) {
		widest := map[bool]*harness.Truncation{}
		for i := range t[p] {
			x := &t[p][i]
			if w := widest[x.Committed]; w == nil || x.To-x.From > w.To-w.From {
				widest[x.Committed] = x
			}
		}
		for _, committed := range []bool{true, false} {
			if x := widest[committed]; x != nil {
				texts = append(texts, describeTruncation(x))
			}
		}
	}
	return texts
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

// ackSlack is how long after an acknowledgement it may be written down, and how long a claim to lead holds after the
// sample that showed it.
const ackSlack = gapIntervals * sampleInterval

// byAcknowledgement takes the acknowledgement itself as the proof: it came while a broker led in an epoch whose batches
// end below the offset that it named, so what that broker had stored there is gone. An acknowledgement that could have
// come from the newer leader, which still has its log, proves nothing.
func byAcknowledgement(p *partLog, l *liveLog, offset int64, at history.Time) *harness.Truncation {
	for _, epoch := range slices.Sorted(maps.Keys(l.claims[p.at])) {
		c := l.claims[p.at][epoch]
		if at < c.first || at > c.last.Add(ackSlack) {
			continue
		}
		from, newer := p.startAfter(epoch)
		if !p.whole || newer <= epoch || offset < from {
			return nil
		}
		return &harness.Truncation{
			Topic: p.at.topic, Partition: p.at.partition, From: from, To: offset + 1, OldEpoch: epoch, NewEpoch: newer, SeenBy: seenByAck,
		}
	}
	return nil
}
