package kit

import (
	"context"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/toxics/inject"
)

// NodeFault is a fault on the processes of brokers.
type NodeFault struct {
	// Done is what was done, for proofs: "killed".
	Done string
	// From are the states in which there is something to hit, Wants is the state that the fault keeps until its heal.
	From  []harness.NodeState
	Wants harness.NodeState
	Do    func(ctx context.Context, c harness.Cluster, node int) error
	// Heal makes the broker run again; harmless if it does.
	Heal func(ctx context.Context, f *harness.Field, node int) error
}

// The states in which a broker's process can be ended by force, and those in which it hears a signal.
var (
	Alive = []harness.NodeState{harness.NodeRunning, harness.NodePaused}
	Awake = Alive[:1]
)

// Inject hits all brokers that the target selects at once.
func (n NodeFault) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := FindBrokers(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	on.ExpectRunning()
	if err := n.HitAll(ctx, on); err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := n.Proof(on, l)
			proof, hit = on.OrByQuorum(n.Done, proof, hit)
			return proof + on.Moves(l.Name), hit
		}
	}
	on.Began(ctx, on.View, on.Others())
	return on.Injection, nil
}

// HitAll hits all brokers at once.
func (n NodeFault) HitAll(ctx context.Context, on OnBrokers) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f := on.Field
	return together.Do(on.Brokers, func(b int) error {
		return BrokerProcess(f, b).Hit(ctx, &on.Undo, inject.Action[harness.NodeState]{
			From: n.From, Wants: n.Wants,
			Do:   func(ctx context.Context) error { return n.Do(ctx, f.Cluster, b) },
			Heal: func(ctx context.Context) error { return n.Heal(ctx, f, b) },
		})
	})
}

// Proof is what the brokers that were hit did for a pipeline at that time.
func (n NodeFault) Proof(on OnBrokers, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, b := range on.Brokers {
		if roles := on.View.Roles(l, b); len(roles) > 0 {
			texts = append(texts, fmt.Sprintf("%s broker %d, which %s", n.Done, b, strings.Join(roles, ", ")))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no broker that was hit led or coordinated anything of it")
	}
	return strings.Join(texts, "; "), true
}
