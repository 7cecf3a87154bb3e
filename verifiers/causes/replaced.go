package causes

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// unexplainedAck is an acknowledgement that names an offset at which the log holds another record, and no sample shows why.
type unexplainedAck struct {
	offset int64
	at     history.Time
	// first is its place among the examples, -1 if it is none.
	first int
}

// maxUnexplained bounds those of one partition that are looked up; the others stay unexplained.
const maxUnexplained = 1 << 20

// replaced looks up what holds the places of the acknowledgements that nothing explains yet. A record that was due to be sent
// after the acknowledgement can't have been there before it: the acknowledged one was, and was cut off. One that was sent before
// proves nothing: a client that acknowledges what it never wrote looks the same.
func (m *MissingAcks) replaced() error {
	for _, n := range slices.Sorted(maps.Keys(m.unexplained)) {
		acks, p := m.unexplained[n], m.parts[n]
		if p.Idle || !p.Whole {
			continue
		}
		slices.SortFunc(acks, func(a, b unexplainedAck) int { return cmp.Compare(a.offset, b.offset) })
		next := 0
		_, tail, err := observation.ReadFile(p.Path, false, func(b *observation.Batch) error {
			for i := range b.Records {
				rec := &b.Records[i]
				for ; next < len(acks) && acks[next].offset < rec.Offset; next++ {
				}
				for ; next < len(acks) && acks[next].offset == rec.Offset; next++ {
					if rec.Status <= observation.Output && rec.Scheduled > acks[next].at {
						m.wasCutOff(p, acks[next], b.LeaderEpoch)
					}
				}
			}
			return nil
		})
		if err := errors.Join(err, p.ReadAgain(tail)); err != nil {
			return err
		}
	}
	return nil
}

func (m *MissingAcks) wasCutOff(p *logs.Partition, a unexplainedAck, epoch int32) {
	m.By[ByTruncation]++
	if m.By[ByAbsence]--; m.By[ByAbsence] == 0 {
		delete(m.By, ByAbsence)
	}
	if a.first >= 0 {
		m.First[a.first].Cause = ByTruncation
		m.First[a.first].Truncation = &harness.Truncation{
			Topic: p.At.Topic, Partition: p.At.Partition, From: a.offset, To: a.offset + 1, OldEpoch: -1, NewEpoch: epoch, SeenBy: seenByRecord,
		}
	}
}
