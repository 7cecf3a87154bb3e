package checks

import (
	"fmt"
	"math"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var sequences = kit.Check{
	Name:    "sequences",
	About:   "compares the sequence numbers of idempotent producers' batches with those before them in the same partition",
	Control: "a batch stored twice, and one that skips sequences",
	Numbers: []harness.Number{
		{
			Key: "storedTwice", Header: "STORED TWICE", Show: harness.WhenNonZero,
			Means: "Records of the row's output and input that were stored under a producer id, epoch and sequence that the partition held\n" +
				"already. Brokers promise every idempotent producer to drop them: *in-order* is violated, also in a row that does not claim it.",
			Unseen: "records sent again under a new sequence or producer id: the causes of duplicates tell them.",
		},
		{
			Key: "sequenceBreaks", Header: "SEQUENCE BREAKS", Show: harness.WhenNonZero,
			Means: "Batches of the row's output and input whose first sequence is not the one that follows the producer's last in that partition\n" +
				"(0 under a new producer epoch), or whose producer epoch is older than one before. Brokers refuse such a batch: it shows that\n" +
				"one before it is gone, or that one came in the wrong order.",
			Unseen: "what comes right after offsets that are missing or damaged, and the first batch of a producer.",
		},
	},
	Begin: func(s *rows.Subject) kit.Counting {
		if !s.HasLSO() {
			return nil
		}
		return &sequenceCount{}
	},
}

type sequenceCount struct{ all []*producers }

// Output implements OutputReader.
func (c *sequenceCount) Output(p *logs.Partition) logs.Reader { return c.follow(p) }

// Input implements InputReader.
func (c *sequenceCount) Input(p *logs.Partition) logs.Reader { return c.follow(p) }

func (c *sequenceCount) follow(p *logs.Partition) logs.Reader {
	r := &producers{partition: p, of: map[int64]*producer{}}
	c.all = append(c.all, r)
	return r
}

// producers follows the idempotent producers of one partition.
type producers struct {
	partition *logs.Partition
	of        map[int64]*producer
	// end is where the batch before ended.
	end            int64
	twice, breaks  uint64
	example, again string
}

// producer is one producer's state, as a broker keeps it: the epoch, and the sequence that must come next.
type producer struct {
	epoch int16
	next  int32
}

// Batch implements logs.Reader.
func (s *producers) Batch(b *logs.Batch) {
	if b.Damaged || b.First != s.end {
		clear(s.of) // what was there may have been anyone's
	}
	s.end = b.Last + 1
	if b.Damaged || b.ProducerID < 0 {
		return
	}
	p := s.of[b.ProducerID]
	if b.Control {
		if p != nil && b.ProducerEpoch > p.epoch { // a marker that raises the epoch ends the sequence too
			p.epoch, p.next = b.ProducerEpoch, 0
		}
		return
	}
	if b.BaseSequence < 0 {
		return
	}
	count := int32(b.Last - b.First + 1) // as brokers count: by offsets, not by the records that are left
	after := plus(b.BaseSequence, count)
	switch {
	case p == nil:
		s.of[b.ProducerID] = &producer{b.ProducerEpoch, after}
		return
	case b.ProducerEpoch < p.epoch:
		s.broken(b, "epoch %d after epoch %d", b.ProducerEpoch, p.epoch)
		return
	case b.ProducerEpoch > p.epoch:
		p.epoch, p.next = b.ProducerEpoch, 0
	}
	switch ahead := minus(b.BaseSequence, p.next); {
	case ahead == 0:
	case ahead > 0:
		s.broken(b, "sequence %d where %d had to come", b.BaseSequence, p.next)
	default:
		s.repeated(b, min(count, -ahead))
		if minus(after, p.next) < 0 {
			return
		}
	}
	p.next = after
}

func (s *producers) broken(b *logs.Batch, format string, args ...any) {
	if s.breaks++; s.breaks == 1 {
		s.example = fmt.Sprintf("at offset %d, producer id %d: ", b.First, b.ProducerID) + fmt.Sprintf(format, args...)
	}
}

func (s *producers) repeated(b *logs.Batch, n int32) {
	if s.twice == 0 {
		s.again = fmt.Sprintf("at offset %d, producer id %d epoch %d sequence %d", b.First, b.ProducerID, b.ProducerEpoch, b.BaseSequence)
	}
	s.twice += uint64(n)
}

// plus and minus count sequences, which begin again at 0 after the largest.
func plus(sequence, n int32) int32 { return int32((int64(sequence) + int64(n)) & math.MaxInt32) }

func minus(a, b int32) int32 {
	d := (int64(a) - int64(b)) & math.MaxInt32
	if d > math.MaxInt32/2 {
		d -= math.MaxInt32 + 1
	}
	return int32(d)
}

// Finish implements Counting.
func (c *sequenceCount) Finish(_ *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	var twice, broken uint64
	for _, s := range c.all {
		twice, broken = twice+s.twice, broken+s.breaks
		where := fmt.Sprintf("%s/%d", s.partition.At.Topic, s.partition.At.Partition)
		if s.twice > 0 {
			found = append(found, kit.ByBrokers("%s: %s records are stored twice under one producer id, epoch and sequence, first %s", where, words.Number(s.twice), s.again)...)
		}
		if s.breaks > 0 {
			found = append(found, kit.ByBrokers("%s: %s batches don't follow their producer's batch before, first %s", where, words.Number(s.breaks), s.example)...)
		}
	}
	n.Set("storedTwice", twice)
	n.Set("sequenceBreaks", broken)
	return found
}
