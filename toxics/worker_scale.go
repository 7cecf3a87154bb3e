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
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var workerScaleKind = kit.Kind{
	Name:  "worker-scale",
	About: "starts more workers in the pipelines of the targeted ones, which rebalances them; the heal stops those in order",
	Hits:  target.Workers,
	Options: []options.Info{
		{Name: "by", About: "how many workers to add to each pipeline, 1 to 16; default 1 (worker-stop scales down)"},
		{Name: "within", About: "how long the groups may take to assign their partitions again, 1s to 2m; default 30s"},
	},
	Make: newWorkerScale,
}

// workerScale makes groups larger for a time: two rebalances, neither of which may lose or repeat anything.
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

// Inject starts the workers and waits until one worker owns each partition again, and each new worker owns one if there are
// enough.
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

// scaling is a scale-up under way.
type scaling struct {
	workerScale
	f     *harness.Field
	mu    sync.Mutex
	added map[string][]string // by pipeline
	// processes are those of the added workers.
	processes []*inject.Process[harness.MemberState]
}

// grow starts the workers of all pipelines at once. Each is noted for its end, however far its start came.
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

// adopt notes a worker that was added: at first there was none, even if another fault has hit it by now, and the heal stops it
// in order.
func (s *scaling) adopt(i *inject.Injection, pipeline, name string) {
	p := kit.MemberProcess(s.f, name)
	p.Adopt(&i.Undo, harness.MemberDead)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added[pipeline], s.processes = append(s.added[pipeline], name), append(s.processes, p)
}

// awaitShared waits until the workers of each pipeline that grew own every partition once, and as many own one as can.
func (s *scaling) awaitShared(ctx context.Context) error {
	return admin.Until(ctx, func() error {
		for pipeline := range s.added {
			owned, owners, workers := 0, 0, 0
			for _, m := range s.f.Fleet.Members() {
				if m.Pipeline == pipeline && m.Role == target.RoleWorker && m.State == harness.MemberRunning {
					owned, workers = owned+len(m.Partitions), workers+1
					owners += min(len(m.Partitions), 1)
				}
			}
			if all := s.f.Plan.Partitions; owned != all || owners < min(workers, all) {
				return fmt.Errorf("%d workers of %s own %d of %d partitions, %d own any", workers, pipeline, owned, all, owners)
			}
		}
		return nil
	})
}

func scaleProof(members []harness.Member, added []string) (string, bool) {
	var texts []string
	for _, m := range members {
		if slices.Contains(added, m.Name) && len(m.Partitions) > 0 {
			texts = append(texts, fmt.Sprintf("%s came and owns %s", m.Name, target.PartitionList(target.Output, m.Partitions)))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no worker of it came and was assigned a partition")
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
