package verifiers

import (
	"cmp"
	"fmt"
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
func (p *partLog) truncated(l *liveLog) []harness.Truncation {
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
	for _, epoch := range sortedKeys(l.highest[p.at]) {
		note(epoch, l.highest[p.at][epoch], seenByWatermark, true)
	}
	for _, epoch := range sortedKeys(l.logEnds[p.at]) {
		note(epoch, l.logEnds[p.at][epoch], seenByLogEnd, false)
	}
	return all
}

// epochAt is the oldest leader epoch whose high watermark reached an offset (-1: none was sampled that high).
func (l *liveLog) epochAt(at tp, offset int64) int32 {
	for _, epoch := range sortedKeys(l.highest[at]) {
		if l.highest[at][epoch] >= offset {
			return epoch
		}
	}
	return -1
}

// startAfter is where the first batch of an epoch newer than this one begins, or the log's end, and that epoch.
func (p *partLog) startAfter(epoch int32) (first int64, newer int32) {
	for _, e := range p.epochs {
		if e.epoch > epoch {
			return e.first, e.epoch
		}
	}
	return p.end, p.newest()
}

// newest is the newest leader epoch that is known of.
func (p *partLog) newest() int32 {
	epoch := p.info.LeaderEpoch
	for _, e := range p.epochs {
		epoch = max(epoch, e.epoch)
	}
	return epoch
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
		if found := p.truncated(l); len(found) > 0 {
			all[p.number] = found
		}
	}
	return all
}

// notes says of each partition what was cut off: what readers could have been given, and what only a leader had.
func (t truncations) notes() []string {
	var texts []string
	for _, p := range partitionsOf(t) {
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

// claim is the time over which a broker said that it leads a partition in some epoch.
type claim struct{ first, last history.Time }

// byAcknowledgement takes the acknowledgement itself as the proof: it came while a broker led in an epoch whose batches
// end below the offset that it named, so what that broker had stored there is gone. An acknowledgement that could have
// come from the newer leader, which still has its log, proves nothing.
func (p *partLog) byAcknowledgement(l *liveLog, offset int64, at history.Time) *harness.Truncation {
	for _, epoch := range sortedKeys(l.claims[p.at]) {
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

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	var all []K
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
