package kit

import (
	"context"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// NodeFault is a fault on the processes of brokers.
type NodeFault struct {
	// Done says what was done, for proofs: "killed".
	Done string
	// From are the states in which there is something to hit, wants is the one that the fault keeps until its heal.
	From  []harness.NodeState
	Wants harness.NodeState
	Do    func(ctx context.Context, c harness.Cluster, node int) error
	Heal  func(ctx context.Context, f *harness.Field, node int) error
}

// The states in which a broker's process can be ended by force, and those in which it hears a signal.
var (
	Alive = []harness.NodeState{harness.NodeRunning, harness.NodePaused}
	Awake = Alive[:1]
)

// FindNodes resolves a target that selects brokers, and notes what is in flight.
func FindNodes(ctx context.Context, f *harness.Field, selector string) (target.View, []int, *inject.Injection, error) {
	t, err := target.Parse(selector)
	if err != nil {
		return target.View{}, nil, nil, err
	}
	v, err := target.Look(ctx, f)
	if err != nil {
		return target.View{}, nil, nil, err
	}
	brokers, err := t.FindBrokers(v)
	if err != nil {
		return target.View{}, nil, nil, err
	}
	return v, brokers, inject.New(f, harness.Resolved{
		Text: v.Describe(brokers), Brokers: brokers, Partitions: v.LedBy(brokers, target.TopicsOf(f.Plan)...),
	}), nil
}

// Inject hits every broker that the target selects, all at once.
func (n NodeFault) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	v, brokers, i, err := FindNodes(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ExpectNodes(i, brokers)
	if err := n.HitAll(ctx, f, i, brokers); err != nil {
		return i, err
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := n.Proof(v, l, brokers)
			proof, hit = i.OrByQuorum(n.Done, proof, hit)
			return proof + i.Moves(l.Name), hit
		}
	}
	i.Began(ctx, v, target.Without(v.Nodes, brokers))
	return i, nil
}

func (n NodeFault) HitAll(ctx context.Context, f *harness.Field, i *inject.Injection, brokers []int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return together.Do(brokers, func(b int) error {
		return BrokerProcess(f, b).Hit(ctx, &i.Undo, inject.Action[harness.NodeState]{
			From: n.From, Wants: n.Wants,
			Do:   func(ctx context.Context) error { return n.Do(ctx, f.Cluster, b) },
			Heal: func(ctx context.Context) error { return n.Heal(ctx, f, b) },
		})
	})
}

// Proof is what the hit brokers did for a pipeline when they were hit.
func (n NodeFault) Proof(v target.View, l harness.PipelineLayout, brokers []int) (string, bool) {
	var texts []string
	for _, b := range brokers {
		if roles := v.Roles(l, b); len(roles) > 0 {
			texts = append(texts, fmt.Sprintf("%s broker %d, which %s", n.Done, b, strings.Join(roles, ", ")))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no broker that was hit led or coordinated anything of it")
	}
	return strings.Join(texts, "; "), true
}
