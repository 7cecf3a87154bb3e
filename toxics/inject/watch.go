package inject

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/target"
)

const (
	// WatchEvery is the pause between two looks at an active fault.
	WatchEvery = 200 * time.Millisecond
	// watchAtMost bounds a watch whose fault is never healed.
	watchAtMost = 15 * time.Minute
)

// move is one change of a partition's leader.
type move struct {
	partition int32
	from, to  int
}

// watch follows an active fault until it is healed: which brokers lead the partitions that it affects, and how many records
// are in flight. A nil watch saw nothing.
type watch struct {
	field      *harness.Field
	pipelines  map[string]string // by output topic
	partitions []int32
	leaders    map[string]map[int32]ask.PartitionState
	asked      []int
	quorum     *quorumWatch
	ran        *ran
	start      history.Time
	cancel     context.CancelFunc
	running    sync.WaitGroup

	mu    sync.Mutex
	moved map[move]map[string]time.Duration // by pipeline: how long it took
	peak  map[string]uint64
}

// watchOver watches until stop is called. Cancelling ctx does not end it, for a fault outlives its injection.
func watchOver(ctx context.Context, f *harness.Field, v target.View, asked []int, hit harness.Resolved, ran *ran) *watch {
	w := &watch{
		field: f, pipelines: map[string]string{}, partitions: hit.Partitions, leaders: v.Topics, asked: asked,
		quorum: watchQuorum(f, v, hit.Brokers, asked), ran: ran,
		start: history.Now(), moved: map[move]map[string]time.Duration{}, peak: map[string]uint64{},
	}
	for _, l := range f.Plan.Pipelines {
		for _, topic := range l.Outputs() {
			w.pipelines[topic] = l.Name
		}
	}
	ctx, w.cancel = context.WithTimeout(context.WithoutCancel(ctx), watchAtMost)
	w.running.Go(func() {
		_ = wait.Poll(ctx, WatchEvery, func() (bool, error) { w.sample(ctx); return false, nil })
	})
	return w
}

func (w *watch) stop() {
	w.cancel()
	w.running.Wait()
}

func (w *watch) sample(ctx context.Context) {
	w.mu.Lock()
	for pipeline, n := range InFlight(w.field) {
		w.peak[pipeline] = max(w.peak[pipeline], n)
	}
	w.mu.Unlock()
	w.ran.look(w.field)
	w.quorum.sample(ctx)
	if len(w.asked) == 0 || len(w.partitions) == 0 || len(w.leaders) == 0 {
		return
	}
	now, _, err := w.field.Brokers().Only(w.asked...).Newest(ctx, slices.Collect(maps.Keys(w.pipelines))...)
	if err != nil {
		return // the next sample may tell
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for topic, pipeline := range w.pipelines {
		for _, p := range w.partitions {
			w.compare(pipeline, p, w.leaders[topic][p].Leader, now.Topics[topic][p].Leader)
		}
	}
}

// compare notes when a partition is first seen under another leader than at the injection.
func (w *watch) compare(pipeline string, partition int32, before, now int) {
	if before <= 0 || now <= 0 || before == now { // nodes count from 1; 0 is unknown and -1 none
		return
	}
	m := move{partition, before, now}
	if w.moved[m] == nil {
		w.moved[m] = map[string]time.Duration{}
	}
	if _, seen := w.moved[m][pipeline]; !seen {
		w.moved[m][pipeline] = history.Now().Sub(w.start)
	}
}

// most is the largest number of records that a pipeline was seen to have in flight while the fault was active.
func (w *watch) most(pipeline string) uint64 {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peak[pipeline]
}

// reaction is "leader of output/0: 1 -> 2 after 9.1s", the time at which the last pipeline's partition had moved. If not all
// pipelines' partitions moved, it names those that did.
func (w *watch) reaction() string {
	if w == nil {
		return ""
	}
	if moved := w.quorum.reaction(); moved != "" || len(w.leaders) == 0 || len(w.partitions) == 0 {
		return moved
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	moves := slices.SortedFunc(maps.Keys(w.moved), func(a, b move) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	var texts []string
	for _, m := range moves {
		took := w.moved[m]
		moved := target.Output
		if len(took) < len(w.field.Plan.Pipelines) {
			moved = strings.Join(slices.Sorted(maps.Keys(took)), "+")
		}
		last := slices.Max(slices.Collect(maps.Values(took)))
		texts = append(texts, fmt.Sprintf("%s/%d: %d -> %d after %.1fs", moved, m.partition, m.from, m.to, last.Seconds()))
	}
	switch {
	case len(texts) > 0:
	case len(w.asked) == 0: // no broker could say
		return ""
	case len(w.asked) < len(w.field.Cluster.Info().Nodes):
		return "leadership did not move" // although brokers were cut off, killed or stopped
	default:
		return ""
	}
	return "leader of " + strings.Join(texts, ", ")
}

// quorumProof is what the quorum shows of separate controllers that were hit.
func (w *watch) quorumProof(done string) (string, bool) {
	if w == nil {
		return "", false
	}
	return w.quorum.proof(done)
}

// Moves is how the leaders of one pipeline's partitions moved, to be put behind a proof.
func (i *Injection) Moves(pipeline string) string { return i.watch.movesOf(pipeline) }

func (w *watch) movesOf(pipeline string) string {
	if w == nil {
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var texts []string
	for m, took := range w.moved {
		if after, ok := took[pipeline]; ok {
			texts = append(texts, fmt.Sprintf("; leader of %s/%d: %d -> %d after %.1fs", target.Output, m.partition, m.from, m.to, after.Seconds()))
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, "")
}
