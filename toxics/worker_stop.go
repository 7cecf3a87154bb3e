package toxics

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
)

var workerStopKind = Kind{
	Name:  "worker-stop",
	About: "lets workers of every pipeline end in order: they finish what they hold, commit and leave their group",
	Hits:  Workers,
	Options: []options.Info{
		{Name: "restart", About: "heal (start new incarnations when the fault's time is over) or never; heal unless given"},
		{Name: "within", About: "how long a worker may take before it is killed, which is an incident, 1s to 2m; 20s unless given"},
	},
	make: newWorkerStop,
}

// workerStop is a deployment: workers are told to end, and new ones come.
type workerStop struct {
	restart string
	within  time.Duration
}

var _ harness.Fault = workerStop{}

func newWorkerStop(r *options.Reader) harness.Fault {
	return workerStop{
		r.OneOf("restart", restartAtHeal, restartNever),
		r.Duration("within", 20*time.Second, time.Second, 2*time.Minute),
	}
}

func (workerStop) Needs() []string { return nil }

func (w workerStop) String() string {
	if w.restart == restartNever {
		return "never restarted"
	}
	return ""
}

func (w workerStop) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := findTargetWorkers(ctx, f, selector, obedient)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, workersResolved(f, names))
	held := f.Fleet.Members()
	bounded, cancel := context.WithTimeout(ctx, w.within)
	defer cancel()
	err = memberFault{
		what: roleWorker, from: obedient, wants: harness.MemberDead, forGood: w.restart == restartNever, heal: reviveUnless(w.restart),
		hit: func(ctx context.Context, f *harness.Field, name string) error { return f.Fleet.Stop(ctx, name) },
	}.strike(bounded, i, names)
	if err != nil {
		return i, err
	}
	i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return stopProof(held, names, l) }
	}
	i.began(ctx, view{}, nil)
	return i, nil
}

func stopProof(held []harness.Member, names []string, l harness.PipelineLayout) (string, bool) {
	for _, m := range held {
		if m.Pipeline == l.Name && slices.Contains(names, m.Name) && len(m.Partitions) > 0 {
			return fmt.Sprintf("%s ended in order and gave up %s", m.Name, partitions(outputs, m.Partitions)), true
		}
	}
	return notTouched("no worker of it that held partitions was stopped")
}
