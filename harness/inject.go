package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/history"
)

// ByHand is a fault that was injected without a run, and what it did.
type ByHand struct {
	FaultRecord
	// Links are the counters of its links, by proxy, from just before the injection to just after the heal.
	Links map[string]LinkBytes
}

// byHandAtMost is how long a fault without an end of its own may last.
const byHandAtMost = 24 * time.Hour

// Inject injects one fault into a cluster on which no run plays, keeps it for its time (without one, until ctx is done), and
// heals it, also if ctx is cancelled.
func Inject(ctx context.Context, cluster Cluster, fault ScheduledFault, seed uint64, terminal Terminal) (ByHand, error) {
	admin, err := DirectClient(cluster, "chaeos-inject")
	if err != nil {
		return ByHand{}, err
	}
	defer admin.Close()
	plan, err := planByHand(ctx, ask.Of(admin, cluster.Info().Nodes...))
	if err != nil {
		return ByHand{}, err
	}
	if fault.For == 0 {
		fault.For = byHandAtMost
	}
	before, err := cluster.Bytes(ctx)
	if err != nil {
		return ByHand{}, err
	}
	s := newSchedule([]ScheduledFault{fault}, &Field{
		Cluster: cluster, Fleet: noMembers{}, Admin: admin, Plan: plan, Rand: rand.New(rand.NewPCG(seed, 0)), Observer: noMembers{},
		Claims: &claims.Book{},
	}, terminal)
	err = s.play(ctx, history.Now())
	healing, cancel := context.WithTimeout(context.WithoutCancel(ctx), tearDownWithin)
	defer cancel()
	err = errors.Join(err, s.healAll(healing))
	after, bytesErr := cluster.Bytes(healing)
	record := s.records()[0]
	return ByHand{FaultRecord: record, Links: moved(record.Resolved.Links, before, after)}, errors.Join(err, bytesErr)
}

// moved is by how much the links' counters went up.
func moved(links []string, before, after map[string]LinkBytes) map[string]LinkBytes {
	out := map[string]LinkBytes{}
	for _, l := range links {
		a, b := after[l], before[l]
		out[l] = LinkBytes{
			UpstreamIn: a.UpstreamIn - b.UpstreamIn, UpstreamOut: a.UpstreamOut - b.UpstreamOut,
			DownstreamIn: a.DownstreamIn - b.DownstreamIn, DownstreamOut: a.DownstreamOut - b.DownstreamOut,
		}
	}
	return out
}

// planByHand makes a plan of what the cluster has, so that targets can name it: each pipeline is the topic, group or
// transactional id of its name.
func planByHand(ctx context.Context, brokers ask.Brokers) (TopicPlan, error) {
	md, err := brokers.Metadata(ctx)
	if err != nil {
		return TopicPlan{}, fmt.Errorf("which topics the cluster has: %w", err)
	}
	named := map[string]*PipelineLayout{}
	of := func(name string) *PipelineLayout {
		if named[name] == nil {
			named[name] = &PipelineLayout{PipelineInfo: PipelineInfo{Name: name, ProducerOnly: true}}
		}
		return named[name]
	}
	plan := TopicPlan{}
	for topic, partitions := range md.Topics {
		of(topic).Output = topic
		plan.Partitions = max(plan.Partitions, len(partitions))
	}
	groups, err := brokers.Groups(ctx)
	if err != nil {
		return TopicPlan{}, fmt.Errorf("which groups the cluster has: %w", err)
	}
	ids, err := brokers.TransactionalIDs(ctx)
	if err != nil {
		return TopicPlan{}, fmt.Errorf("which transactional ids the cluster has: %w", err)
	}
	for _, group := range groups {
		of(group).Group = group
	}
	for _, id := range ids {
		of(id).TransactionalIDs = []string{id}
	}
	for _, l := range named {
		plan.Pipelines = append(plan.Pipelines, *l)
	}
	slices.SortFunc(plan.Pipelines, func(a, b PipelineLayout) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) })
	return plan, nil
}
