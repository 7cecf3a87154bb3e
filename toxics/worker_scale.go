package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var workerScaleKind = kit.Kind{
	Name:  "worker-scale",
	About: "starts more workers in the pipelines of the targeted ones, which rebalances them; the heal lets those end in order",
	Hits:  target.Workers,
	Options: []options.Info{
		{Name: "by", About: "how many workers more each pipeline gets, 1 to 16; 1 unless given (worker-stop scales down)"},
		{Name: "within", About: "how long the groups may take to share their partitions anew, 1s to 2m; 30s unless given"},
	},
	Make: newWorkerScale,
}

// workerScale makes groups larger for a time: two rebalances, none of which may lose or repeat anything.
type workerScale struct {
	by     int
	within time.Duration
}

var _ harness.Fault = workerScale{}

func newWorkerScale(r *options.Reader) harness.Fault {
	return workerScale{r.Number("by", 1, 1, 16), r.Duration("within", 30*time.Second, time.Second, 2*time.Minute)}
}

func (workerScale) Needs() []string { return nil }

func (w workerScale) String() string { return fmt.Sprintf("by %d", w.by) }

// Inject starts the workers and waits until every partition is held by one worker again, and each new worker that can
// hold one does.
func (w workerScale) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	names, err := target.FindWorkers(ctx, f, selector, target.Living)
	if err != nil {
		return nil, err
	}
	pipelines := map[string]bool{}
	for _, name := range names {
		m, err := target.Member(f, name)
		if err != nil {
			return nil, err
		}
		pipelines[m.Pipeline] = true
	}
	s := &scaling{workerScale: w, f: f, added: map[string][]string{}}
	i := inject.New(f, harness.Resolved{
		Text:       fmt.Sprintf("%d more workers of %s", w.by, strings.Join(slices.Sorted(maps.Keys(pipelines)), ", ")),
		Partitions: target.OwnedBy(f, membersOf(f, pipelines)),
	})
	ctx, cancel := context.WithTimeoutCause(ctx, w.within, fmt.Errorf("not within %s", w.within))
	defer cancel()
	if err := s.grow(ctx, i, slices.Sorted(maps.Keys(pipelines))); err != nil {
		return i, err
	}
	i.Began(ctx, target.View{}, nil)
	if err := s.awaitShared(ctx); err != nil {
		return i, err
	}
	shared := f.Fleet.Members()
	i.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return scaleProof(shared, s.added[l.Name]) }
	}
	return i, nil
}

// scaling is workers being added.
type scaling struct {
	workerScale
	f     *harness.Field
	mu    sync.Mutex
	added map[string][]string // by pipeline
	// processes are theirs.
	processes []*inject.Process[harness.MemberState]
}

// grow starts the workers of all pipelines at once; each is noted for its end, however far its start came.
func (s *scaling) grow(ctx context.Context, i *inject.Injection, pipelines []string) error {
	err := together.Do(pipelines, func(pipeline string) error {
		var errs []error
		for range s.by {
			name, err := s.f.Fleet.Add(ctx, pipeline)
			if name != "" {
				s.adopt(i, pipeline, name)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	kit.ExpectMembers(i, "the added workers have ended", func() []*inject.Process[harness.MemberState] { return s.processes })
	return err
}

// adopt notes a worker that was added: at first there was none, whoever has hit it by now, and the heal lets it end in
// order.
func (s *scaling) adopt(i *inject.Injection, pipeline, name string) {
	p := kit.MemberProcess(s.f, name)
	p.Adopt(&i.Undo, harness.MemberDead)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added[pipeline], s.processes = append(s.added[pipeline], name), append(s.processes, p)
}

// awaitShared waits until each pipeline that grew holds every partition once, on as many workers as can hold one.
func (s *scaling) awaitShared(ctx context.Context) error {
	var missing error
	err := wait.Poll(ctx, admin.PollEvery, func() (bool, error) {
		missing = nil
		for pipeline := range s.added {
			held, holders, workers := 0, 0, 0
			for _, m := range s.f.Fleet.Members() {
				if m.Pipeline == pipeline && m.Role == target.RoleWorker && m.State == harness.MemberRunning {
					held, workers = held+len(m.Partitions), workers+1
					holders += min(len(m.Partitions), 1)
				}
			}
			if all := s.f.Plan.Partitions; held != all || holders < min(workers, all) {
				missing = fmt.Errorf("%d workers of %s hold %d of %d partitions, %d hold any", workers, pipeline, held, all, holders)
			}
		}
		return missing == nil, nil
	})
	if err != nil {
		return errors.Join(missing, context.Cause(ctx))
	}
	return nil
}

func scaleProof(members []harness.Member, added []string) (string, bool) {
	var texts []string
	for _, m := range members {
		if slices.Contains(added, m.Name) && len(m.Partitions) > 0 {
			texts = append(texts, fmt.Sprintf("%s came and holds %s", m.Name, target.PartitionList(target.Output, m.Partitions)))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no worker of it came and was given a partition")
	}
	return strings.Join(texts, ", "), true
}

// membersOf lists the workers of pipelines.
func membersOf(f *harness.Field, pipelines map[string]bool) []string {
	var names []string
	for _, m := range f.Fleet.Members() {
		if m.Role == target.RoleWorker && pipelines[m.Pipeline] {
			names = append(names, m.Name)
		}
	}
	return names
}
