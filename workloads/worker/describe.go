package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/properties"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// errDescribed ends a loop that was started only to see which clients it opens.
var errDescribed = errors.New("described")

// Clients lists the clients that a loop opens under a specification. Nothing is dialled.
func Clients(s protocol.Spec, loop Loop) ([]properties.Client, error) {
	var all []properties.Client
	stopping, stop := context.WithCancel(context.Background())
	defer stop()
	w := &Worker{
		Process:  &member.Process{Spec: s, Stopping: stopping, Gates: &phase.Gates{}},
		describe: func(c properties.Client) { all = append(all, c) },
	}
	if err := loop(stopping, w); !errors.Is(err, errDescribed) {
		return nil, fmt.Errorf("the loop opened no client that can be described: %w", err)
	}
	return all, nil
}

// described reports whether the loop runs only to see which clients it opens, and notes this one then.
func (w *Worker) described(kind properties.Kind, options []kgo.Opt) bool {
	if w.describe != nil {
		w.describe(properties.Client{Kind: kind, Options: options})
	}
	return w.describe != nil
}
