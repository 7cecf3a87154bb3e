package toxics

import (
	"context"
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var brokerPauseKind = kit.Kind{
	Name:  "broker-pause",
	About: "freezes the broker's process (SIGSTOP): its sockets still accept; the heal resumes it",
	Hits:  target.Brokers,
	Make:  func(*options.Reader) harness.Fault { return brokerPause{} },
}

type brokerPause struct{}

var _ harness.Fault = brokerPause{}

func (brokerPause) Needs() []string { return []string{"pause"} }

func (brokerPause) String() string { return "" }

func (brokerPause) OutOfQuorum() bool { return true }

func (brokerPause) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	return kit.NodeFault{
		Done: "stopped", From: kit.Awake, Wants: harness.NodePaused, Heal: resumeNode,
		Do: func(ctx context.Context, c harness.Cluster, node int) error { return c.Pause(ctx, node) },
	}.Inject(ctx, f, selector)
}

// resumeNode resumes a node if it is paused: it may have died meanwhile.
func resumeNode(ctx context.Context, f *harness.Field, node int) error {
	state, err := kit.StateOf(ctx, f.Cluster, node)
	if err != nil || state != harness.NodePaused {
		return err
	}
	if err := f.Cluster.Resume(ctx, node); err != nil {
		return fmt.Errorf("resume broker %d: %w", node, err)
	}
	return nil
}
