package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var uncleanElectionKind = kit.Kind{
	Name:  "unclean-election",
	About: "waits until partitions have no leader, then elects a replica that was not in sync: the records it lacks are gone",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "within", About: "how long the partitions may take to lose their leaders, 1s to 2m; default 30s"},
	},
	Make: newUncleanElection,
}

// uncleanElect is what an operator does when the last replica in sync does not come back.
type uncleanElect struct{ within time.Duration }

var _ harness.Fault = uncleanElect{}

func newUncleanElection(r *options.Reader) harness.Fault {
	return uncleanElect{r.Duration("within", 30*time.Second, time.Second, 2*time.Minute)}
}

func (uncleanElect) Needs() []string { return nil }

func (uncleanElect) String() string { return "" }

// Inject elects leaders of all partitions that the target selects, once none of them has one.
func (u uncleanElect) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, u.within)
	defer cancel()
	before, err := u.leaderless(ctx, f, on)
	if err != nil {
		return on.Injection, err
	}
	on.Began(ctx, on.View, on.View.Nodes)
	after, err := electUnclean(ctx, f, on)
	if err != nil {
		return on.Injection, err
	}
	for _, p := range on.Partitions {
		if s := after[p]; !before[p].Has(s.Leader) {
			on.Lasts(harness.Lasting{What: harness.UncleanLeader, Topic: p.Topic, Partition: p.Partition, Node: s.Leader, To: int64(s.LeaderEpoch)})
		}
	}
	on.Expect("its partitions have leaders", func(ctx context.Context) error { return admin.Agreed(ctx, f, on.Partitions) })
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return uncleanProof(on, before, after, l) }
	}
	return on.Injection, nil
}

// leaderless waits until none of the partitions has a leader, and returns which brokers could lead them without a loss.
func (u uncleanElect) leaderless(ctx context.Context, f *harness.Field, on kit.OnPartitions) (map[ask.TopicPartition]ask.Candidates, error) {
	var now map[ask.TopicPartition]ask.Candidates
	err := admin.Until(ctx, func() (err error) {
		if now, err = f.Brokers().Candidates(ctx, ask.Topics(on.Partitions)...); err != nil {
			return err
		}
		for _, p := range on.Partitions {
			if leader := now[p].Leader; leader >= 0 {
				return fmt.Errorf("%s is still led by %d: an unclean election needs a partition without a leader", p, leader)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not without a leader within %s: %w", u.within, err)
	}
	return now, nil
}

// electUnclean asks until every partition has a leader: a replica that runs but is not registered yet is no candidate.
func electUnclean(ctx context.Context, f *harness.Field, on kit.OnPartitions) (map[ask.TopicPartition]ask.Candidates, error) {
	var after map[ask.TopicPartition]ask.Candidates
	err := admin.Until(ctx, func() error {
		failed, err := admin.Elect(ctx, f, admin.UncleanElection, on.Partitions)
		if err != nil {
			return err
		}
		if err := errors.Join(slices.Collect(maps.Values(failed))...); err != nil {
			return err
		}
		if after, err = f.Brokers().Candidates(ctx, ask.Topics(on.Partitions)...); err != nil {
			return err
		}
		for _, p := range on.Partitions {
			if after[p].Leader < 0 {
				return fmt.Errorf("%s has no leader yet", p)
			}
		}
		return nil
	})
	return after, err
}

func uncleanProof(on kit.OnPartitions, before, after map[ask.TopicPartition]ask.Candidates, l harness.PipelineLayout) (string, bool) {
	var texts []string
	took := false
	for _, p := range on.View.Concerning(on.Partitions, l) {
		leader := after[p].Leader
		name := fmt.Sprintf("%s/%d", on.View.Generic(p.Topic), p.Partition)
		if before[p].Has(leader) {
			texts = append(texts, fmt.Sprintf("%s is led by %d, which lacked nothing", name, leader))
			continue
		}
		took = true
		texts = append(texts, fmt.Sprintf("%s was given leader %d, and only %v lacked nothing", name, leader, before[p].Eligible))
	}
	if len(texts) == 0 {
		return inject.NotTouched("no partition of it was elected for")
	}
	return strings.Join(texts, ", "), took
}
