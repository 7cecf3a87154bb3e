package toxics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var workerStopKind = kit.Kind{
	Name:  "worker-stop",
	About: "stops a worker of every pipeline in order: it finishes the records it holds, commits and leaves its group",
	Hits:  target.Workers,
	Options: []options.Info{
		{Name: "restart", About: "heal (start new incarnations when the fault's time is over) or never; default heal"},
		{Name: "within", About: "how long a worker may take before it is killed, which is an incident, 1s to 2m; default 20s"},
	},
	Make: newWorkerStop,
}

// workerStop is what a deployment does: workers end, and new ones come.
type workerStop struct {
	restart string
	within  time.Duration
}

var _ harness.Fault = workerStop{}

func newWorkerStop(r *options.Reader) harness.Fault {
	return workerStop{
		r.OneOf("restart", kit.RestartAtHeal, kit.RestartNever),
		r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}
}

func (workerStop) Needs() []string { return nil }

func (w workerStop) String() string {
	if w.restart == kit.RestartNever {
		return "never restarted"
	}
	return ""
}

func (w workerStop) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := target.FindWorkers(ctx, f, selector, target.Responsive)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, target.ResolveWorkers(f, names))
	held := f.Fleet.Members()
	bounded, cancel := context.WithTimeout(ctx, w.within)
	defer cancel()
	err = kit.MemberFault{
		What: target.RoleWorker, From: target.Responsive, Wants: harness.MemberDead, ForGood: w.restart == kit.RestartNever, Heal: kit.ReviveUnless(w.restart),
		Do: func(ctx context.Context, f *harness.Field, name string) error { return f.Fleet.Stop(ctx, name) },
	}.HitAll(bounded, i, names)
	if err != nil {
		return i, err
	}
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return stopProof(held, names, l) }
	}
	i.Began(ctx, target.View{}, nil)
	return i, nil
}

func stopProof(held []harness.Member, names []string, l harness.PipelineLayout) (string, bool) {
	for _, m := range held {
		if m.Pipeline == l.Name && slices.Contains(names, m.Name) && len(m.Partitions) > 0 {
			return fmt.Sprintf("%s ended in order and gave up %s", m.Name, target.PartitionList(target.Output, m.Partitions)), true
		}
	}
	return inject.NotTouched("no worker of it that owned partitions was stopped")
}
