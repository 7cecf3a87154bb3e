package toxics

import (
	"context"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var preferredElectionKind = kit.Kind{
	Name:  "preferred-election",
	About: "elects the preferred leader of every partition that has another one; there is nothing to heal",
	Hits:  target.Partitions,
	Make:  func(*options.Reader) harness.Fault { return preferredElect{} },
}

// preferredElect is what an operator does after a broker came back.
type preferredElect struct{}

var _ harness.Fault = preferredElect{}

func (preferredElect) Needs() []string { return nil }

func (preferredElect) String() string { return "" }

func (preferredElect) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	next := map[ask.TopicPartition]int{}
	for _, p := range on.Partitions {
		s := on.View.Topics[p.Topic][p.Partition]
		if len(s.Replicas) > 0 && s.Leader != int(s.Replicas[0]) {
			next[p] = int(s.Replicas[0])
		}
	}
	on.Began(ctx, on.View, on.View.Nodes)
	failed, err := admin.Elect(ctx, f, admin.PreferredElection, on.Partitions)
	if err != nil {
		return on.Injection, err
	}
	refused := map[ask.TopicPartition]error{}
	for p, err := range failed {
		delete(next, p)
		refused[p] = err
	}
	ctx, cancel := context.WithTimeout(ctx, admin.ShownWithin)
	defer cancel()
	if err := admin.AwaitLeaders(ctx, f, next); err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return electionProof(on, next, refused, l) }
	}
	return on.Injection, nil
}

func electionProof(on kit.OnPartitions, next map[ask.TopicPartition]int, refused map[ask.TopicPartition]error, l harness.PipelineLayout) (string, bool) {
	var texts []string
	took := false
	for _, p := range on.View.Concerning(on.Partitions, l) {
		name := fmt.Sprintf("%s/%d", on.View.Generic(p.Topic), p.Partition)
		if to, ok := next[p]; ok {
			texts = append(texts, fmt.Sprintf("leader of %s: %d -> %d", name, on.View.Topics[p.Topic][p.Partition].Leader, to))
			took = true
		} else if err := refused[p]; err != nil {
			texts = append(texts, fmt.Sprintf("%s: %v", name, err))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("every partition of it had its preferred leader")
	}
	return strings.Join(texts, ", "), took
}
