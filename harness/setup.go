package harness

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// pollEvery is how often the run checks a condition.
const pollEvery = 200 * time.Millisecond

func (r *run) startCluster(ctx context.Context) (string, error) {
	exp := r.spec.Experiment
	begin := time.Now()
	cluster, err := r.rooms.Provider.Start(ctx, ClusterSpec{
		Kafka: r.spec.Kafka, KafkaHome: r.spec.KafkaHome, Topology: exp.Cluster.Topology, Features: exp.Cluster.Features,
		Properties: exp.Cluster.Properties, LogDir: filepath.Join(r.dir, "brokers"),
		ReadyWithin: 90 * time.Second, Detach: r.spec.Keep,
		Progress: func(text string) { r.rooms.Terminal.Live(text, 0, 0) },
	})
	if err != nil {
		return "", err
	}
	r.cluster, r.record.Cluster = cluster, cluster.Info()
	if r.admin, err = DirectClient(cluster, "chaeos-harness"); err != nil {
		return "", err
	}
	if r.record.Features, err = features(ctx, ask.Of(r.admin, r.record.Cluster.Nodes...)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s of Kafka %s ready after %.1fs", exp.Cluster.Topology, r.record.Cluster.Kafka,
		time.Since(begin).Seconds()), nil
}

// features are the cluster's finalised feature levels, sorted by name.
func features(ctx context.Context, brokers ask.Brokers) ([]Feature, error) {
	levels, err := brokers.Features(ctx)
	if err != nil {
		return nil, err
	}
	var all []Feature
	for _, name := range slices.Sorted(maps.Keys(levels)) {
		all = append(all, Feature{Name: name, Level: levels[name]})
	}
	return all, nil
}

func (r *run) makeTopics(ctx context.Context) (string, error) {
	exp, nodes := r.spec.Experiment, r.record.Cluster.Nodes
	infos, err := selectInfos(r.rooms.Infos, exp.Pipelines)
	if err != nil {
		return "", err
	}
	controller, err := ask.Of(r.admin, nodes...).Controller(ctx)
	if err != nil {
		return "", err
	}
	if err := checkShareGroups(infos, r.record.Features); err != nil {
		return "", err
	}
	r.record.Plan = planTopics(r.record.Name, exp, infos, nodes, controller)
	if err := createTopics(ctx, r.admin, r.record.Plan); err != nil {
		return "", err
	}
	if err := ConfigureShareGroups(ctx, r.admin, r.record.Plan, exp.Shared); err != nil {
		return "", err
	}
	if err := r.awaitInSync(ctx); err != nil {
		return "", err
	}
	if err := r.makeRooms(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d topics of %d partitions, min ISR %d; the controller is node %d",
		len(r.record.Plan.topics()), r.record.Plan.Partitions, r.record.Plan.MinISR, controller), r.save()
}

// makeRooms makes what works on the topics: the observer, the fleet and the field of the faults.
func (r *run) makeRooms() error {
	var err error
	id, plan := r.record.RunID, r.record.Plan
	if r.observer, err = r.rooms.NewObserver(ObserverSpec{Dir: r.dir, RunID: id, Cluster: r.cluster, Plan: plan}); err != nil {
		return err
	}
	r.fleet, err = r.rooms.NewFleet(FleetSpec{
		Command: r.spec.Command, Dir: r.dir, RunID: id, Cluster: r.cluster, Plan: plan, Experiment: r.spec.Experiment,
	})
	if err != nil {
		return err
	}
	seed := rand.New(rand.NewPCG(r.spec.Seed, 0))
	r.field = &Field{
		Cluster: r.cluster, Fleet: r.fleet, Admin: r.admin, Plan: plan, Dir: r.dir, Rand: seed, Observer: r.observer,
		Claims: &claims.Book{},
	}
	r.schedule = newSchedule(r.spec.Experiment.Faults, r.field, r.rooms.Terminal)
	return nil
}

// awaitInSync waits until every broker is registered and every partition of the run has all its replicas in sync.
func (r *run) awaitInSync(ctx context.Context) error {
	nodes := r.record.Cluster.Nodes
	topics := append(r.record.Plan.topics(), r.record.Plan.internalNames()...)
	missing := "no broker answered"
	err := wait.Poll(ctx, pollEvery, func() (bool, error) {
		if r.lostBroker() {
			return false, errBrokerDied
		}
		for _, node := range nodes { // every broker must know the controller's decisions
			md, err := ask.Of(r.admin, node).Metadata(ctx, topics...)
			if err != nil {
				missing = err.Error()
				return false, nil
			}
			if missing = notInSync(md, nodes, topics); missing != "" {
				missing = fmt.Sprintf("broker %d says: %s", node, missing)
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for every replica to be in sync: %w (%s)", err, missing)
	}
	return nil
}

// notInSync names the first thing that keeps a cluster from being whole, or "".
func notInSync(md ask.Metadata, nodes []int, topics []string) string {
	if len(md.Brokers) < len(nodes) {
		return fmt.Sprintf("brokers %v of %v are registered", md.Brokers, nodes)
	}
	for _, topic := range topics {
		parts, ok := md.Topics[topic]
		if !ok {
			return "topic " + topic + " is not there"
		}
		for p, state := range parts {
			if !state.InSync() {
				return fmt.Sprintf("%s/%d has leader %d, in sync %v of %v", topic, p, state.Leader, state.ISR, state.Replicas)
			}
		}
	}
	return ""
}

// warm starts everything and waits until each pipeline shows progress end to end, in every partition. From here on until
// the verdict, brokers that die are noticed.
func (r *run) warm(ctx context.Context) (string, error) {
	r.stopWatching = r.watch(context.WithoutCancel(ctx))
	if err := r.observer.Start(ctx); err != nil {
		return "", err
	}
	if err := r.fleet.Start(ctx); err != nil {
		return "", err
	}
	if err := r.fleet.Feed(ctx); err != nil {
		return "", err
	}
	begin, cold := history.Now(), ""
	err := wait.Poll(ctx, pollEvery, func() (bool, error) {
		cold = r.coldPipeline()
		return cold == "", r.broken()
	})
	if err != nil {
		return "", fmt.Errorf("%w: %s showed no progress end to end", err, cold)
	}
	return fmt.Sprintf("every pipeline moves records end to end after %.1fs", history.Now().Sub(begin).Seconds()), nil
}

func (r *run) coldPipeline() string {
	for _, l := range r.record.Plan.Pipelines {
		for p := range int32(r.record.Plan.Partitions) {
			if r.observer.VisibleIn(l.Name, p) == 0 {
				return fmt.Sprintf("pipeline %s, partition %d", l.Name, p)
			}
		}
	}
	return ""
}
