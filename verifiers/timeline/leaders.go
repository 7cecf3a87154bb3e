package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observe"
)

// Leadership is a time in which a partition had one leader and one set of in-sync replicas.
type Leadership struct {
	Topic     string
	Partition int32
	From      history.Time
	// To is 0 for the last of a partition: it was still so when the observer stopped.
	To history.Time
	// Leader is -1 while the partition had none.
	Leader      int32
	LeaderEpoch int32
	ISR         []int32
}

// Leaders lists who led each partition and who was in sync, by topic, partition and time. Brokers may not agree: one that
// is cut off from the controllers keeps an old view. The view with the newest leader epoch counts, and of several with the
// same epoch the one that most brokers share.
func Leaders(dir string) ([]Leadership, error) {
	views := map[ask.TopicPartition]*partitionViews{}
	_, err := history.Scan(filepath.Join(dir, observe.SamplesFile), func(e history.Entry) error {
		if r, ok := e.(*history.Replicas); ok {
			at := ask.TopicPartition{Topic: r.Topic, Partition: r.Partition}
			of(views, at, func() *partitionViews { return &partitionViews{by: map[int32]history.Replicas{}} }).add(*r)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the run ended before there was anything to observe
	}
	if err != nil {
		return nil, fmt.Errorf("timeline: %w", err)
	}
	var all []Leadership
	for _, v := range views {
		all = append(all, v.spans...)
	}
	slices.SortFunc(all, func(a, b Leadership) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.From, b.From))
	})
	return all, nil
}

// partitionViews are what each broker last showed of one partition, and the spans that come of it.
type partitionViews struct {
	by    map[int32]history.Replicas
	spans []Leadership
}

func (v *partitionViews) add(r history.Replicas) {
	r.ISR = slices.Clone(r.ISR) // the reader uses its entries again
	v.by[r.Broker] = r
	now := v.agreed()
	if n := len(v.spans); n > 0 {
		last := &v.spans[n-1]
		if last.Leader == now.Leader && last.LeaderEpoch == now.LeaderEpoch && slices.Equal(last.ISR, now.ISR) {
			return
		}
		last.To = r.At
	}
	v.spans = append(v.spans, Leadership{
		Topic: r.Topic, Partition: r.Partition, From: r.At, Leader: now.Leader, LeaderEpoch: now.LeaderEpoch, ISR: now.ISR,
	})
}

// agreed is the view that counts. Of views that equally many brokers share the newest does.
func (v *partitionViews) agreed() history.Replicas {
	var best history.Replicas
	votes := -1
	for _, candidate := range v.by {
		n := v.votes(candidate)
		better := cmp.Or(cmp.Compare(candidate.LeaderEpoch, best.LeaderEpoch), cmp.Compare(n, votes), cmp.Compare(candidate.At, best.At))
		if votes < 0 || better > 0 {
			best, votes = candidate, n
		}
	}
	return best
}

func (v *partitionViews) votes(of history.Replicas) (n int) {
	for _, other := range v.by {
		if other.Leader == of.Leader && other.LeaderEpoch == of.LeaderEpoch && slices.Equal(other.ISR, of.ISR) {
			n++
		}
	}
	return n
}
