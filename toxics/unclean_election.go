package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var uncleanElectionKind = kit.Kind{
	Name:  "unclean-election",
	About: "waits until partitions have no leader, and makes a replica lead that was not in sync: what it lacks is gone",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "within", About: "how long the partitions may take to lose their leaders, 1s to 2m; 30s unless given"},
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

// Inject elects in every place that the target selects, once none of them has a leader.
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
			on.Lasts(harness.Lasting{What: harness.UncleanLeader, Topic: p.Topic, Partition: p.Partition, Node: s.Leader, To: int64(s.Epoch)})
		}
	}
	on.Expect("its partitions have leaders", func(ctx context.Context) error { return admin.Agreed(ctx, f, on.Partitions) })
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return uncleanProof(on, before, after, l) }
	}
	return on.Injection, nil
}

// leaderless waits until no place has a leader, and returns who could lead it then without a loss.
func (u uncleanElect) leaderless(ctx context.Context, f *harness.Field, on kit.OnPartitions) (map[admin.TopicPartition]admin.Candidates, error) {
	var now map[admin.TopicPartition]admin.Candidates
	var missing error
	err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
		if now, missing = admin.AskCandidates(ctx, f, admin.TopicsOf(on.Partitions)); missing != nil {
			return false, nil
		}
		for _, p := range on.Partitions {
			if leader := now[p].Leader; leader >= 0 {
				missing = fmt.Errorf("%s is still led by %d: an unclean election needs a partition without a leader", p, leader)
			}
		}
		return missing == nil, nil
	})
	if err != nil {
		return nil, fmt.Errorf("not without a leader within %s: %w", u.within, errors.Join(missing, err))
	}
	return now, nil
}

// electUnclean asks until every place has a leader: a replica that lives but is not registered yet is no candidate.
func electUnclean(ctx context.Context, f *harness.Field, on kit.OnPartitions) (map[admin.TopicPartition]admin.Candidates, error) {
	var after map[admin.TopicPartition]admin.Candidates
	var last error
	err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
		failed, err := admin.Elect(ctx, f, admin.UncleanElection, on.Partitions)
		if last = err; err == nil {
			for _, err := range failed {
				last = errors.Join(last, err)
			}
		}
		if last == nil {
			after, last = admin.AskCandidates(ctx, f, admin.TopicsOf(on.Partitions))
		}
		for _, p := range on.Partitions {
			if last == nil && after[p].Leader < 0 {
				last = fmt.Errorf("%s has no leader yet", p)
			}
		}
		return last == nil, nil
	})
	if err != nil {
		return nil, errors.Join(last, err)
	}
	return after, nil
}

func uncleanProof(on kit.OnPartitions, before, after map[admin.TopicPartition]admin.Candidates, l harness.PipelineLayout) (string, bool) {
	var texts []string
	bit := false
	for _, p := range on.View.Concerning(on.Partitions, l) {
		leader := after[p].Leader
		name := fmt.Sprintf("%s/%d", on.View.Generic(p.Topic), p.Partition)
		if before[p].Has(leader) {
			texts = append(texts, fmt.Sprintf("%s is led by %d, which lacked nothing", name, leader))
			continue
		}
		bit = true
		texts = append(texts, fmt.Sprintf("%s was given leader %d, and only %v lacked nothing", name, leader, before[p].Eligible))
	}
	if len(texts) == 0 {
		return inject.NotTouched("no partition of it was elected for")
	}
	return strings.Join(texts, ", "), bit
}
