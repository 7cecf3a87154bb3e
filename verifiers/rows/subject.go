package rows

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Subject is one pipeline that is judged, by its plan and its histories, before its logs are read.
type Subject struct {
	Run    *saved.Run
	Layout harness.PipelineLayout
	// Source is what sent its input, or is itself under test. It has said nothing where it left no history.
	Source *saved.Source
	// Workers are by number and incarnation; a source under test has none.
	Workers []*saved.Worker
	Keep    Keep
	// Asked are the keys of the records that somebody asks about.
	Asked map[keyset.Key]bool

	kind kind
}

// NewSubject makes a run's subject of one pipeline.
func NewSubject(r *saved.Run, layout harness.PipelineLayout, keep Keep) *Subject {
	s := &Subject{
		Run: r, Layout: layout, Source: r.Sources[layout.Source], Workers: r.SortedWorkers(layout.Name), Keep: keep,
		Asked: map[keyset.Key]bool{}, kind: kindOf(layout),
	}
	if s.Source == nil {
		s.Source = saved.NewSource(s.partitions())
	}
	for _, q := range keep.Asked {
		if q.Pipeline == layout.Name && q.Source == layout.Source {
			for _, k := range s.kind.asked(s, q) {
				s.Asked[k] = true
			}
		}
	}
	return s
}

// SourceUnderTest reports whether the row is a source that writes straight to the output: it has no workers, no input log and
// no committed offsets.
func (s *Subject) SourceUnderTest() bool { return s.Layout.ProducerOnly }

// SharedSource reports whether the row is the source of the shared input.
func (s *Subject) SharedSource() bool {
	return s.SourceUnderTest() && s.Layout.Source == harness.SharedSource
}

// SharesRecords reports whether the workers are a share group: brokers hand single records to members, and again.
func (s *Subject) SharesRecords() bool { return s.Layout.ShareGroup }

// OutputsInTransactions reports whether the row's outputs are records in transactions. Side effects are not, even where their
// calls are made between a transaction's begin and its end: they stand, however it ends.
func (s *Subject) OutputsInTransactions() bool {
	return s.Layout.Transactional && !s.SourceUnderTest() && s.HasLSO()
}

// HasLSO reports whether the output has last stable offsets: an external service has none.
func (s *Subject) HasLSO() bool { return !s.Layout.Effects }

// Inputs are the partitions that the row's workers read; none where the source is under test.
func (s *Subject) Inputs(in *logs.Input) []*logs.Partition {
	if s.SourceUnderTest() {
		return nil
	}
	return in.Parts
}

func (s *Subject) partitions() int { return max(1, s.Run.Record.Plan.Partitions) }

// A row that writes to several topics has one log of all their partitions, numbered through the topics
// (harness.PipelineLayout.Place), and each input is due once in each topic: the key's partition is the number of the output
// partition that it is due in. So every figure that counts inputs counts them once per topic, and a copy that one topic has
// and another lacks is a loss in that other.

// OutputPartitions is how many output partitions the row has.
func (s *Subject) OutputPartitions() int { return s.Run.OutputPartitions(s.Layout) }

// At is an output partition by its number.
func (s *Subject) At(number int32) ask.TopicPartition {
	topic, partition := s.Layout.Place(number, s.Run.Record.Plan.Partitions)
	return ask.TopicPartition{Topic: topic, Partition: partition}
}

// PartitionName names an output partition for people.
func (s *Subject) PartitionName(number int32) string { return s.At(number).String() }

// InputOf is the input partition of a key's partition.
func (s *Subject) InputOf(partition int32) int32 { return partition % int32(s.partitions()) }

// Meter is that of one of the row's output partitions.
func (s *Subject) Meter(partition int32) *saved.Meter {
	if of := s.Run.Meters[s.Layout.Name]; partition >= 0 && int(partition) < len(of) {
		return of[partition]
	}
	return saved.NewMeter(s.Run.Record)
}

// Worker is the row's worker of an incarnation, nil where it left no history.
func (s *Subject) Worker(i txns.Incarnation) *saved.Worker {
	for _, w := range s.Workers {
		if w.Incarnation == i {
			return w
		}
	}
	return nil
}

// IncarnationRef names a worker's incarnation for reports.
func (s *Subject) IncarnationRef(i txns.Incarnation) harness.Incarnation {
	if w := s.Worker(i); w != nil {
		return saved.IncarnationRef(w)
	}
	return harness.Incarnation{Worker: i.Worker, Incarnation: i.Number}
}
