package toxics

import (
	"context"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var preferredElectionKind = Kind{
	Name:  "preferred-election",
	About: "elects the preferred leader of every partition that has another one; there is nothing to heal",
	Hits:  Partitions,
	make:  func(*options.Reader) harness.Fault { return preferredElect{} },
}

// preferredElect is what an operator does after a broker came back.
type preferredElect struct{}

var _ harness.Fault = preferredElect{}

func (preferredElect) Needs() []string { return nil }

func (preferredElect) String() string { return "" }

func (preferredElect) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	next := map[place]int{}
	for _, p := range on.places {
		s := on.view.topics[p.topic][p.partition]
		if len(s.Replicas) > 0 && s.Leader != int(s.Replicas[0]) {
			next[p] = int(s.Replicas[0])
		}
	}
	on.i.began(ctx, on.view, on.view.nodes)
	failed, err := elect(ctx, f, preferredElection, on.places)
	if err != nil {
		return on.i, err
	}
	refused := map[place]error{}
	for p, err := range failed {
		delete(next, p)
		refused[p] = err
	}
	ctx, cancel := context.WithTimeout(ctx, moveWithin)
	defer cancel()
	if err := awaitLeaders(ctx, f, next); err != nil {
		return on.i, err
	}
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return electionProof(on, next, refused, l) }
	}
	return on.i, nil
}

func electionProof(on onPlaces, next map[place]int, refused map[place]error, l harness.PipelineLayout) (string, bool) {
	var texts []string
	bit := false
	for _, p := range on.view.concerned(on.places, l) {
		name := fmt.Sprintf("%s/%d", on.view.generic(p.topic), p.partition)
		if to, ok := next[p]; ok {
			texts = append(texts, fmt.Sprintf("leader of %s: %d -> %d", name, on.view.topics[p.topic][p.partition].Leader, to))
			bit = true
		} else if err := refused[p]; err != nil {
			texts = append(texts, fmt.Sprintf("%s: %v", name, err))
		}
	}
	if len(texts) == 0 {
		return notTouched("every partition of it had its preferred leader")
	}
	return strings.Join(texts, ", "), bit
}
