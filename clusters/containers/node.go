package containers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/chaeos/chaeos/harness"
)

const (
	tailLines   = 15
	flushWithin = time.Second
)

// node is one node's container.
type node struct {
	id     int
	engine *Engine
	log    *follower // nil if the log is not followed

	mu        sync.Mutex
	container string
	// onPurpose reports whether the run ended it.
	onPurpose bool
}

// state asks the engine: the library's own idea of a container is not changed by a kill.
func (n *node) state(ctx context.Context) (*container.State, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	answer, err := n.engine.ContainerInspect(ctx, n.container, client.ContainerInspectOptions{})
	if err != nil {
		return nil, fmt.Errorf("the engine on node %d: %w", n.id, err)
	}
	return answer.Container.State, nil
}

// running returns the state of a node that runs, and an error if it doesn't.
func (n *node) running(ctx context.Context) (*container.State, error) {
	state, err := n.state(ctx)
	if err == nil && !state.Running {
		err = fmt.Errorf("node %d is not running", n.id)
	}
	return state, err
}

// Start starts the container again; it is an error while it runs.
func (n *node) Start(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.state(ctx)
	if err != nil {
		return err
	}
	if state.Running {
		return fmt.Errorf("node %d already runs", n.id)
	}
	n.log.flushed(flushWithin)
	if err := n.engine.start(ctx, n.container); err != nil {
		return err
	}
	n.onPurpose = false
	if n.log != nil {
		n.log.follow(context.WithoutCancel(ctx))
	}
	return nil
}

// Kill ends the container's process with SIGKILL, and returns when the engine has seen it end.
func (n *node) Kill(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.running(ctx)
	if err != nil {
		return err
	}
	n.onPurpose = true
	if _, err := n.engine.ContainerKill(ctx, n.container, client.ContainerKillOptions{Signal: "SIGKILL"}); err != nil {
		return err
	}
	if state.Paused { // frozen processes take the signal as they thaw; some engines thaw them by themselves
		_, _ = n.engine.ContainerUnpause(ctx, n.container, client.ContainerUnpauseOptions{})
	}
	_, err = n.engine.ended(ctx, n.container)
	return err
}

// Stop ends the process with SIGTERM, which lets a broker hand over its leaders.
func (n *node) Stop(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.running(ctx)
	if err != nil {
		return err
	}
	if state.Paused {
		return fmt.Errorf("node %d is paused: resume it before it can stop in order", n.id)
	}
	n.onPurpose = true
	if _, err := n.engine.ContainerKill(ctx, n.container, client.ContainerKillOptions{Signal: "SIGTERM"}); err != nil {
		return err
	}
	_, err = n.engine.ended(ctx, n.container)
	return err
}

// Pause freezes the container.
func (n *node) Pause(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.running(ctx)
	if err != nil || state.Paused {
		return err
	}
	_, err = n.engine.ContainerPause(ctx, n.container, client.ContainerPauseOptions{})
	return err
}

// Resume continues the container; resuming one that runs changes nothing.
func (n *node) Resume(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	state, err := n.running(ctx)
	if err != nil || !state.Paused {
		return err
	}
	_, err = n.engine.ContainerUnpause(ctx, n.container, client.ContainerUnpauseOptions{})
	return err
}

// status is the container's state, and why it ended if the run did not end it.
func (n *node) status(ctx context.Context) (harness.NodeStatus, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := harness.NodeStatus{Node: n.id, State: harness.NodeStopped}
	state, err := n.state(ctx)
	switch {
	case err != nil:
		return s, err
	case state.Paused:
		s.Pid, s.State = state.Pid, harness.NodePaused
	case state.Running:
		s.Pid, s.State = state.Pid, harness.NodeRunning
	case !n.onPurpose:
		s.Unplanned, s.Reason = true, n.died(ctx, state).Error()
	}
	return s, nil
}

// died describes an unplanned end with the last lines of the log.
func (n *node) died(ctx context.Context, state *container.State) *StartError {
	why := fmt.Sprintf("ended unplanned (exit status %d)", state.ExitCode)
	if state.OOMKilled {
		why = "was killed for want of memory"
	}
	return &StartError{Node: n.id, Why: why, Tail: n.engine.lastLines(ctx, n.container, tailLines)}
}

// watch calls back when the node ends, until ctx does.
func (n *node) watch(ctx context.Context, ended func(*StartError)) {
	if _, err := n.engine.ended(ctx, n.container); err != nil {
		if ctx.Err() == nil {
			ended(&StartError{Node: n.id, Why: err.Error()})
		}
		return
	}
	ask := context.WithoutCancel(ctx)
	state, err := n.state(ask)
	if err != nil {
		ended(&StartError{Node: n.id, Why: err.Error()})
		return
	}
	ended(n.died(ask, state))
}

// StartError is the error if a node ended while the cluster was starting, or if the cluster was not ready in time.
type StartError struct {
	Node int // 0 if it is not about a single node
	Why  string
	// Tail are the last lines of the node's log.
	Tail []string
}

func (e *StartError) Error() string {
	var b strings.Builder
	if e.Node != 0 {
		fmt.Fprintf(&b, "node %d ", e.Node)
	}
	b.WriteString(e.Why)
	if len(e.Tail) > 0 {
		fmt.Fprintf(&b, "; the end of its log:\n  %s", strings.Join(e.Tail, "\n  "))
	}
	return b.String()
}
