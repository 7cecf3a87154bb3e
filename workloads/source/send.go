package source

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// send keeps the pace, a block of records at a time: first the block's intent is written, then its records are sent,
// each when it is due.
func (s *source) send(ctx context.Context) error {
	pace := newPace(history.Now(), s.Spec.Load)
	for s.Stopping.Err() == nil && ctx.Err() == nil {
		n := s.block(&pace)
		if n == 0 {
			return nil
		}
		if err := s.untilDue(s.Stopping, &pace); err != nil {
			return nil //nolint:nilerr // stopped before the block: nothing of it was intended
		}
		if err := s.sendBlock(ctx, &pace, n); err != nil {
			return err
		}
		if s.afterBlock != nil {
			if err := s.afterBlock(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// block is the size of the next block: 0 once the source has sent its count.
func (s *source) block(p *pace) uint64 {
	if s.Spec.Count == 0 {
		return p.block()
	}
	return min(p.block(), s.left())
}

// left is what remains of the source's count.
func (s *source) left() uint64 { return s.Spec.First + s.Spec.Count - s.next }

// untilDue waits until the next record is due.
func (s *source) untilDue(ctx context.Context, p *pace) error {
	if p.unlimited() {
		return nil
	}
	if ahead := p.peek().Sub(history.Now()); ahead > 0 {
		return wait.Sleep(ctx, ahead)
	}
	return nil
}

// sendBlock intends and sends n records. A block, once intended, is sent whole, even if the source has to stop meanwhile.
func (s *source) sendBlock(ctx context.Context, p *pace, n uint64) error {
	now := history.Now()
	if err := s.Record(&history.Intent{Stamp: history.At(now), First: s.next, Count: n}); err != nil {
		return err
	}
	values, records := make([]byte, 0, n*uint64(s.recordSize())), make([]kgo.Record, n)
	for i := range records {
		scheduled := now
		if !p.unlimited() {
			if err := s.untilDue(ctx, p); err != nil {
				s.unsent(n - uint64(i))
				return nil //nolint:nilerr // out of time, as its caller sees by ctx
			}
			scheduled = p.next()
		}
		values = s.fill(&records[i], values, scheduled)
		s.pending.Add(1)
		s.kafka.Produce(ctx, &records[i], s.promise)
	}
	return nil
}

func (s *source) recordSize() int { return max(s.Spec.Load.RecordSize, history.OutputSize) }

// fill makes the next record; its value is appended to values. A sequence that an earlier incarnation intended is not
// counted again.
func (s *source) fill(r *kgo.Record, values []byte, scheduled history.Time) []byte {
	id := history.Identity{Source: s.Spec.Number, Sequence: s.next}
	start := len(values)
	values = history.AppendInput(values, history.Input{Run: s.Spec.Run, Identity: id, Scheduled: scheduled}, s.recordSize())
	r.Topic, r.Partition = s.Spec.Output, int32(s.next%uint64(s.Spec.Partitions))
	r.Value = values[start:len(values):len(values)]
	if s.next >= s.Spec.First {
		s.intended.Add(1)
	}
	s.next++
	return values
}

// unsent resolves the rest of a block that was intended and not handed to the client.
func (s *source) unsent(n uint64) {
	for range n {
		never := resolution{outcome: history.OutcomeFailed, reason: "never handed to the client"}
		s.outcomes.resolve(never, int32(s.next%uint64(s.Spec.Partitions)), s.next)
		s.next++
	}
}
