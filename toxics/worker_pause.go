package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var workerPauseKind = Kind{
	Name:  "worker-pause",
	About: "freezes a worker of every pipeline (SIGSTOP); the heal lets them go on, perhaps as zombies",
	Hits:  Workers,
	make:  func(*options.Reader) harness.Fault { return workerPause{} },
}

type workerPause struct{}

var _ harness.Fault = workerPause{}

func (workerPause) Needs() []string { return nil }

func (workerPause) String() string { return "" }

func (workerPause) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := findTargetWorkers(ctx, f, selector, obedient)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, workersResolved(f, names))
	err = memberFault{
		what: roleWorker, from: obedient, wants: harness.MemberPaused, heal: resumeMember,
		hit: func(ctx context.Context, f *harness.Field, name string) error { return f.Fleet.Pause(ctx, name) },
	}.strike(ctx, i, names)
	if err != nil {
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
