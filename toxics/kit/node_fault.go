package toxics

import (
	"context"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
)

// nodeFault is a fault on the processes of brokers.
type nodeFault struct {
	// done says what was done, for proofs: "killed".
	done string
	// from are the states in which there is something to hit, wants is the one that the fault keeps until its heal.
	from  []harness.NodeState
	wants harness.NodeState
	hit   func(ctx context.Context, c harness.Cluster, node int) error
	heal  func(ctx context.Context, f *harness.Field, node int) error
}

// The states in which a broker's process can be ended by force, and those in which it hears a signal.
var (
	alive = []harness.NodeState{harness.NodeRunning, harness.NodePaused}
	awake = alive[:1]
)

// findNodes resolves a target that selects brokers, and notes what is in flight.
func findNodes(ctx context.Context, f *harness.Field, selector string) (view, []int, *injection, error) {
	t, err := ParseTarget(selector)
	if err != nil {
		return view{}, nil, nil, err
	}
	v, err := look(ctx, f)
	if err != nil {
		return view{}, nil, nil, err
	}
	brokers, err := t.findBrokers(v)
	if err != nil {
		return view{}, nil, nil, err
	}
	return v, brokers, newInjection(f, harness.Resolved{
		Text: v.describeAll(brokers), Brokers: brokers, Partitions: v.ledBy(brokers, topicsOf(f.Plan)...),
	}), nil
}

// inject hits every broker that the target selects, all at once.
func (n nodeFault) inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	v, brokers, i, err := findNodes(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	expectNodes(i, brokers)
	if err := n.hitAll(ctx, f, i, brokers); err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := n.proof(v, l, brokers)
			proof, hit = i.orByQuorum(n.done, proof, hit)
			return proof + i.moves(l.Name), hit
		}
	}
	i.began(ctx, v, without(v.nodes, brokers))
	return i, nil
}

func (n nodeFault) hitAll(ctx context.Context, f *harness.Field, i *injection, brokers []int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return together.Do(brokers, func(b int) error {
		return brokerProcess(f, b).strike(ctx, &i.undo, blow[harness.NodeState]{
			from: n.from, wants: n.wants,
			hit:  func(ctx context.Context) error { return n.hit(ctx, f.Cluster, b) },
			heal: func(ctx context.Context) error { return n.heal(ctx, f, b) },
		})
	})
}

// proof is what the hit brokers did for a pipeline when they were hit.
func (n nodeFault) proof(v view, l harness.PipelineLayout, brokers []int) (string, bool) {
	var texts []string
	for _, b := range brokers {
		if roles := v.roles(l, b); len(roles) > 0 {
			texts = append(texts, fmt.Sprintf("%s broker %d, which %s", n.done, b, strings.Join(roles, ", ")))
		}
	}
	if len(texts) == 0 {
		return notTouched("no broker that was hit led or coordinated anything of it")
	}
	return strings.Join(texts, "; "), true
}
