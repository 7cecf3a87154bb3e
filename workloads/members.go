package workloads

import (
	"context"
	"fmt"
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/fleet"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/protocol"
	"github.com/chaeos/chaeos/workloads/service"
	"github.com/chaeos/chaeos/workloads/source"
	"github.com/chaeos/chaeos/workloads/worker"
)

// Subcommand is the name of the hidden subcommand that runs this program as a member (RunProcess).
const Subcommand = protocol.Subcommand

// NewFleet plans the sources and workers of a run's pipelines (fleet.New), all of which must be in the registry.
func NewFleet(spec harness.FleetSpec) (*fleet.Fleet, error) {
	for _, layout := range spec.Plan.Pipelines {
		if _, err := Lookup(layout.Name); err != nil {
			return nil, fmt.Errorf("fleet: %w", err)
		}
	}
	return fleet.New(spec, nil)
}

// RunProcess is a member's whole life (member.Run): the hidden subcommand calls it with its standard input and output.
func RunProcess(ctx context.Context, in io.Reader, out io.Writer) error {
	return member.Run(ctx, in, out, open)
}

// open makes the program of a process by its role and pipeline.
func open(process *member.Process) (member.Program, error) {
	s := &process.Spec
	if s.Role == protocol.RoleService {
		return service.Open(process)
	}
	var p Pipeline
	if s.Pipeline != "" {
		var err error
		if p, err = Lookup(s.Pipeline); err != nil {
			return member.Program{}, err
		}
	}
	s.Options = p.options.WithDefaults(s.Options)
	program, err := p.program(process)
	program.Phases = p.Phases
	return program, err
}

// program is what a process of the pipeline runs. The zero pipeline is the shared source.
func (p Pipeline) program(process *member.Process) (member.Program, error) {
	switch {
	case process.Spec.Role != protocol.RoleSource && p.work == nil:
		return member.Program{}, fmt.Errorf("pipeline %q has no workers", p.Name)
	case process.Spec.Role != protocol.RoleSource:
		return worker.Open(process, p.work), nil
	case p.open != nil:
		return p.open(process)
	default:
		return source.Open(process, p.producer)
	}
}
