package toxics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var powerLossKind = kit.Kind{
	Name: "power-loss",
	About: "notes where every log ends, lets the writeback time pass, kills brokers and cuts their logs back to there; " +
		"the heal starts them",
	Hits: target.Brokers,
	Options: []options.Info{
		{Name: "mode", About: "writeback (cut to where each log ended a writeback time ago) or checkpoint (to Kafka's own recovery points, " +
			"which loses whole segments: legal, harsher than real machines); default writeback"},
		{Name: "writeback", About: "how long the kernel may keep written pages to itself, 1s to 2m; default 30s. The power goes " +
			"that long after the fault begins"},
	},
	Make: newPowerLoss,
}

// The modes of a power loss.
const (
	writebackMode  = "writeback"
	checkpointMode = "checkpoint"
)

// powerLoss loses what the kernel had not written to disk: replication is no fsync. The metadata log stays whole, for
// KRaft flushes it before it commits.
type powerLoss struct {
	mode      string
	writeback time.Duration
}

var _ harness.Fault = powerLoss{}

func newPowerLoss(r *options.Reader) harness.Fault {
	return powerLoss{
		r.OneOf("mode", writebackMode, checkpointMode),
		r.Duration("writeback", 30*time.Second, time.Second, 2*time.Minute),
	}
}

func (powerLoss) Needs() []string { return []string{"kill", "cut"} }

func (p powerLoss) String() string {
	if p.mode == checkpointMode {
		return "mode checkpoint"
	}
	return fmt.Sprintf("mode writeback, %s", p.writeback)
}

func (powerLoss) OutOfQuorum() bool { return true }

func (p powerLoss) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	disks, err := kit.DisksOf(f)
	if err != nil {
		return nil, err
	}
	on, err := kit.FindBrokers(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	ended, err := p.awaitWriteback(ctx, f, on.Brokers)
	if err != nil {
		return nil, err
	}
	on.InFlight = inject.InFlight(f) // of the loss, not of the wait
	on.ExpectRunning()
	if err := killForPower(ctx, on); err != nil {
		return on.Injection, err
	}
	lost, err := cutAll(ctx, disks, on.Brokers, func(node int) harness.LogCut {
		return harness.LogCut{Checkpoint: p.mode == checkpointMode, Ends: ended[node]}
	})
	for _, node := range on.Brokers {
		for _, c := range lost[node] {
			on.Lasts(harness.Lasting{What: harness.LogWasCut, Topic: c.Topic, Partition: c.Partition, Node: node, From: c.From, To: c.To})
		}
	}
	if err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return powerProof(on, lost, l) }
	}
	on.Began(ctx, on.View, on.Others())
	return on.Injection, nil
}

// awaitWriteback notes where the brokers' logs end and lets the writeback time pass: what was written before is on disk then.
func (p powerLoss) awaitWriteback(ctx context.Context, f *harness.Field, brokers []int) (map[int][]harness.LogEnd, error) {
	if p.mode != writebackMode {
		return nil, nil
	}
	ended, err := admin.LogEnds(ctx, f, brokers)
	if err != nil {
		return nil, err
	}
	if err := wait.Sleep(ctx, p.writeback); err != nil {
		return nil, fmt.Errorf("the power was not cut: %w", err)
	}
	return ended, nil
}

// killForPower kills all brokers at once, also those that another fault has stopped: they lose power, too.
func killForPower(ctx context.Context, on kit.OnBrokers) error {
	return kit.NodeFault{
		From: append([]harness.NodeState{harness.NodeStopped}, kit.Alive...), Wants: harness.NodeStopped, Heal: kit.StartAgain,
		Do: func(ctx context.Context, c harness.Cluster, node int) error {
			state, err := kit.StateOf(ctx, c, node)
			if err != nil || state == harness.NodeStopped {
				return err
			}
			return c.Kill(ctx, node)
		},
	}.HitAll(ctx, on)
}

// cutAll cuts the logs of all brokers and returns what each lost, by broker.
func cutAll(ctx context.Context, disks harness.Disks, brokers []int, cut func(int) harness.LogCut) (map[int][]harness.CutLog, error) {
	found, errs := together.Ask(brokers, func(node int) ([]harness.CutLog, error) { return disks.CutLogs(ctx, node, cut(node)) })
	lost := map[int][]harness.CutLog{}
	for at, node := range brokers {
		lost[node] = found[at]
	}
	return lost, errors.Join(errs...)
}

// powerProof sums up what a pipeline's logs lost: for each partition what the replica lost that lost least, for its records may
// come back to the others.
func powerProof(on kit.OnBrokers, lost map[int][]harness.CutLog, l harness.PipelineLayout) (string, bool) {
	cuts := map[ask.TopicPartition]map[int]int64{}
	for node, logs := range lost {
		for _, c := range logs {
			p := ask.TopicPartition{Topic: c.Topic, Partition: c.Partition}
			if !on.View.Concerns(l, c.Topic) {
				continue
			}
			if cuts[p] == nil {
				cuts[p] = map[int]int64{}
			}
			cuts[p][node] = c.From - c.To
		}
	}
	if len(cuts) == 0 {
		return inject.NotTouched("no log of it lost anything: it was all on disk")
	}
	sums := map[string]int64{}
	for p, byNode := range cuts {
		least := slices.Min(slices.Collect(maps.Values(byNode)))
		if len(byNode) < len(on.Brokers) { // one replica lost nothing
			least = 0
		}
		sums[on.View.Generic(p.Topic)] += least
	}
	var texts []string
	for _, topic := range slices.SortedFunc(maps.Keys(sums), cmp.Compare) {
		texts = append(texts, fmt.Sprintf("%d of %s", sums[topic], topic))
	}
	return fmt.Sprintf("power lost on %d brokers; offsets cut on all replicas: %s", len(on.Brokers), strings.Join(texts, ", ")), true
}
