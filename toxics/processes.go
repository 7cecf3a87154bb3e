package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// processes are the states that faults want brokers' processes to be in. A broker that was paused and then killed is
// paused again when the kill is healed first; one that was restarted and then killed stays dead until the kill is healed.
var processes originals[harness.NodeState]

func processKey(f *harness.Field, node int) string {
	return keyOn(f, fmt.Sprintf("process of broker %d", node))
}

// strike hits one broker, unless it is in a state in which there is nothing to hit. The heal is noted before.
func (n nodeFault) strike(ctx context.Context, f *harness.Field, i *injection, node int) error {
	key := processKey(f, node)
	return processes.change(key, func(l *layers[harness.NodeState]) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := mustBe(ctx, f.Cluster, node, n.from...); err != nil {
			return err
		}
		if len(l.claims) == 0 {
			l.first = harness.NodeRunning
		}
		c := processes.add(l, key, n.wants)
		i.undo.add(fmt.Sprintf("broker %d", node), startWithin, func(ctx context.Context) error { return letGo(ctx, f, node, c, n.heal) })
		return n.hit(ctx, f.Cluster, node)
	})
}

// mustBe says that a broker is in none of the states in which a fault can hit it.
func mustBe(ctx context.Context, c harness.Cluster, node int, states ...harness.NodeState) error {
	state, err := stateOf(ctx, c, node)
	if err != nil || slices.Contains(states, state) {
		return err
	}
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return fmt.Errorf("broker %d is %s, not %s: another fault has it, or it ended by itself", node, state, strings.Join(words, " or "))
}

// letGo ends a fault's claim on a broker's process: the broker is healed, or comes to be as the newest fault still active
// wants it.
func letGo(
	ctx context.Context, f *harness.Field, node int, c *claim[harness.NodeState],
	heal func(context.Context, *harness.Field, int) error,
) error {
	_, err := processes.give(c, func(want harness.NodeState) error {
		if want == harness.NodeRunning {
			return heal(ctx, f, node)
		}
		return bring(ctx, f, node, want)
	})
	return err
}

// bring makes a broker's process paused or stopped, whatever it is now. A dead one is back before it is paused again.
func bring(ctx context.Context, f *harness.Field, node int, want harness.NodeState) error {
	state, err := stateOf(ctx, f.Cluster, node)
	switch {
	case err != nil || state == want:
		return err
	case want == harness.NodeStopped:
		return f.Cluster.Kill(ctx, node)
	case state == harness.NodeStopped:
		if err := startAgain(ctx, f, node); err != nil {
			return err
		}
	}
	return f.Cluster.Pause(ctx, node)
}
