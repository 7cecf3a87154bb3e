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
)

var uncleanElectionKind = Kind{
	Name:  "unclean-election",
	About: "waits until partitions have no leader, and makes a replica lead that was not in sync: what it lacks is gone",
	Hits:  Partitions,
	Options: []options.Info{
		{Name: "within", About: "how long the partitions may take to lose their leaders, 1s to 2m; 30s unless given"},
	},
	make: newUncleanElection,
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
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, u.within)
	defer cancel()
	before, err := u.leaderless(ctx, f, on)
	if err != nil {
		return on.i, err
	}
	on.i.began(ctx, on.view, on.view.nodes)
	after, err := electUnclean(ctx, f, on)
	if err != nil {
		return on.i, err
	}
	for _, p := range on.places {
		if s := after[p]; !before[p].has(s.leader) {
			on.i.lasts(harness.Lasting{What: harness.UncleanLeader, Topic: p.topic, Partition: p.partition, Node: s.leader, To: int64(s.epoch)})
		}
	}
	on.i.expect("its partitions have leaders", func(ctx context.Context) error { return agreed(ctx, f, on.places) })
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return uncleanProof(on, before, after, l) }
	}
	return on.i, nil
}

// leaderless waits until no place has a leader, and returns who could lead it then without a loss.
func (u uncleanElect) leaderless(ctx context.Context, f *harness.Field, on onPlaces) (map[place]candidates, error) {
	var now map[place]candidates
	var missing error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		if now, missing = askCandidates(ctx, f, topicsIn(on.places)); missing != nil {
			return false, nil
		}
		for _, p := range on.places {
			if leader := now[p].leader; leader >= 0 {
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
func electUnclean(ctx context.Context, f *harness.Field, on onPlaces) (map[place]candidates, error) {
	var after map[place]candidates
	var last error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		failed, err := elect(ctx, f, uncleanElection, on.places)
		if last = err; err == nil {
			for _, err := range failed {
				last = errors.Join(last, err)
			}
		}
		if last == nil {
			after, last = askCandidates(ctx, f, topicsIn(on.places))
		}
		for _, p := range on.places {
			if last == nil && after[p].leader < 0 {
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

func uncleanProof(on onPlaces, before, after map[place]candidates, l harness.PipelineLayout) (string, bool) {
	var texts []string
	bit := false
	for _, p := range on.view.concerned(on.places, l) {
		leader := after[p].leader
		name := fmt.Sprintf("%s/%d", on.view.generic(p.topic), p.partition)
		if before[p].has(leader) {
			texts = append(texts, fmt.Sprintf("%s is led by %d, which lacked nothing", name, leader))
			continue
		}
		bit = true
		texts = append(texts, fmt.Sprintf("%s was given leader %d, and only %v lacked nothing", name, leader, before[p].eligible))
	}
	if len(texts) == 0 {
		return notTouched("no partition of it was elected for")
	}
	return strings.Join(texts, ", "), bit
}
