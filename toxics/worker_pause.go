package toxics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
)

var workerPauseKind = Kind{
	Name:  "worker-pause",
	About: "freezes a worker of every pipeline (SIGSTOP); the heal lets them go on, perhaps as zombies",
	Hits:  Workers,
	make:  func(*reader) harness.Fault { return workerPause{} },
}

// resumeWithin bounds the heal of one paused worker.
const resumeWithin = 15 * time.Second

type workerPause struct{}

var _ harness.Fault = workerPause{}

func (workerPause) Needs() []string { return nil }

func (workerPause) String() string { return "" }

func (workerPause) Inject(ctx context.Context, f *harness.Field, target string) (harness.Injection, error) {
	names, err := findTargetWorkers(ctx, f, target)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, workersResolved(f, names))
	for _, name := range names {
		i.undo.add("resume "+name, resumeWithin, func(ctx context.Context) error { return resumeWorker(ctx, f, name) })
	}
	i.expectWorkers(names)
	if err := together(names, func(name string) error { return f.Fleet.Pause(ctx, name) }); err != nil {
		return i, err
	}
	held := f.Fleet.Members()
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) {
			for _, m := range held {
				if m.Pipeline == l.Name && m.State == harness.MemberPaused && slices.Contains(names, m.Name) && len(m.Partitions) > 0 {
					return fmt.Sprintf("stopped %s, which held %s", m.Name, partitions(outputs, m.Partitions)), true
				}
			}
			return notTouched("no worker of it that held partitions was stopped")
		}
	}
	i.began(ctx, view{}, nil)
	return i, nil
}

// resumeWorker continues a worker that is paused.
func resumeWorker(ctx context.Context, f *harness.Field, name string) error {
	m, err := member(f, name)
	if err != nil || m.State != harness.MemberPaused {
		return err
	}
	return f.Fleet.Resume(ctx, name)
}
