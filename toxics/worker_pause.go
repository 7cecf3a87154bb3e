package toxics

import (
	"context"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var workerPauseKind = kit.Kind{
	Name:  "worker-pause",
	About: "freezes a worker of every pipeline (SIGSTOP); the heal resumes it, perhaps as a zombie",
	Hits:  target.Workers,
	Make:  func(*options.Reader) harness.Fault { return workerPause{} },
}

type workerPause struct{}

var _ harness.Fault = workerPause{}

func (workerPause) Needs() []string { return nil }

func (workerPause) String() string { return "" }

func (workerPause) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := target.FindWorkers(ctx, f, selector, target.Responsive)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, target.ResolveWorkers(f, names))
	err = kit.MemberFault{
		What: target.RoleWorker, From: target.Responsive, Wants: harness.MemberPaused, Heal: kit.ResumeMember,
		Do: func(ctx context.Context, f *harness.Field, name string) error { return f.Fleet.Pause(ctx, name) },
	}.HitAll(ctx, i, names)
	if err != nil {
		return i, err
	}
	held := f.Fleet.Members()
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) {
			for _, m := range held {
				if m.Pipeline == l.Name && m.State == harness.MemberPaused && slices.Contains(names, m.Name) && len(m.Partitions) > 0 {
					return fmt.Sprintf("stopped %s, which owned %s", m.Name, target.PartitionList(target.Output, m.Partitions)), true
				}
			}
			return inject.NotTouched("no worker of it that owned partitions was stopped")
		}
	}
	i.Began(ctx, target.View{}, nil)
	return i, nil
}
