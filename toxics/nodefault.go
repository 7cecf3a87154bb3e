package toxics

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// startWithin bounds the heal of one node: it starts, or goes on, or waits for another fault's start.
const startWithin = 40 * time.Second

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
func findNodes(ctx context.Context, f *harness.Field, target string) (view, []int, *injection, error) {
	t, err := ParseTarget(target)
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
func (n nodeFault) inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	v, brokers, i, err := findNodes(ctx, f, target)
	if err != nil {
		return nil, err
	}
	i.expectNodes(brokers)
	if err := n.hitAll(ctx, f, i, brokers); err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := n.proof(v, l, brokers)
			proof, hit = i.orByQuorum(n.done, proof, hit)
			return proof + i.watch.movesOf(l.Name), hit
		}
	}
	i.began(ctx, v, without(v.nodes, brokers))
	return i, nil
}

func (n nodeFault) hitAll(ctx context.Context, f *harness.Field, i *injection, brokers []int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	errs := make([]error, len(brokers))
	var hitting sync.WaitGroup
	for at, b := range brokers {
		hitting.Go(func() {
			errs[at] = brokerProcess(f, b).strike(ctx, &i.undo, blow[harness.NodeState]{
				from: n.from, wants: n.wants,
				hit:  func(ctx context.Context) error { return n.hit(ctx, f.Cluster, b) },
				heal: func(ctx context.Context) error { return n.heal(ctx, f, b) },
			})
		})
	}
	hitting.Wait()
	return errors.Join(errs...)
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

// orByQuorum adds to a proof what the quorum shows of controllers that were hit.
func (i *injection) orByQuorum(done, proof string, hit bool) (string, bool) {
	quorum, too := i.watch.quorumProof(done)
	switch {
	case too && hit:
		proof += "; " + quorum
	case too:
		proof = quorum
	}
	return proof, hit || too
}

// stateOf asks for a node's state.
func stateOf(ctx context.Context, c harness.Cluster, node int) (harness.NodeState, error) {
	all, err := c.Status(ctx)
	if err != nil {
		return "", fmt.Errorf("state of broker %d: %w", node, err)
	}
	for _, s := range all {
		if s.Node == node {
			return s.State, nil
		}
	}
	return "", fmt.Errorf("state of broker %d: the cluster has no such node", node)
}

// startAgain starts a stopped node and waits until it answers and another broker knows it again.
func startAgain(ctx context.Context, f *harness.Field, node int) error {
	state, err := stateOf(ctx, f.Cluster, node)
	if err != nil {
		return err
	}
	if state == harness.NodeStopped {
		if err := f.Cluster.Start(ctx, node); err != nil {
			return fmt.Errorf("start broker %d again: %w", node, err)
		}
	}
	return awaitBack(ctx, f, node)
}

// awaitBack waits until a node that was started takes part again.
func awaitBack(ctx context.Context, f *harness.Field, node int) error {
	if !slices.Contains(f.Cluster.Info().Nodes, node) {
		return awaitVoter(ctx, f, node)
	}
	return awaitBroker(ctx, f, node)
}

// awaitVoter waits until a controller that keeps no records follows the quorum's leader again, or leads it. Clients don't
// reach it: the leader is asked, through the brokers, when it last heard of it.
func awaitVoter(ctx context.Context, f *harness.Field, node int) error {
	began := time.Now().UnixMilli() // by the wall clock, as the leader's answer, on the same machine
	var last error
	err := wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var voters map[int]int64
		if voters, last = harness.QuorumHeard(ctx, f.Admin, f.Cluster.Info().Nodes); last != nil {
			return false, nil
		}
		last = fmt.Errorf("the quorum's leader has not heard of it")
		return voters[node] >= began, nil
	})
	if err != nil {
		return fmt.Errorf("controller %d did not come back: %w", node, errors.Join(err, last))
	}
	return nil
}

// awaitBroker waits until the node answers, and shows itself in its own metadata: the controller has let it in again.
func awaitBroker(ctx context.Context, f *harness.Field, node int) error {
	var last error
	err := wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		var md harness.Metadata
		if md, last = harness.AskMetadata(ctx, f.Admin, []int{node}, topicsOf(f.Plan)...); last != nil {
			return false, nil
		}
		for _, b := range md.Brokers {
			if b == node {
				return true, nil
			}
		}
		last = fmt.Errorf("it knows brokers %v only", md.Brokers)
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("broker %d did not come back: %w", node, errors.Join(err, last))
	}
	return nil
}
