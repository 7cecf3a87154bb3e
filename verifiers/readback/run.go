package readback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/observation"
)

const (
	// parallel bounds the partitions read at once: each needs the bytes of two fetches and one batch decompressed.
	parallel = 4
	// partitionBytes is how much one fetch asks for.
	partitionBytes = 2 << 20
	clientID       = "chaeos-readback"
	// patience is how long one question is asked again after errors, and how long a partition may make no progress.
	patience = 30 * time.Second
	// retryEvery is the pause before a question is asked again.
	retryEvery = 200 * time.Millisecond
	// requestTimeout is how long a broker may take to answer: the links are direct and nothing is cut any more.
	requestTimeout = 10 * time.Second
)

// reading is one read-back under way.
type reading struct {
	spec    harness.ReadBackSpec
	brokers ask.Brokers
	index   *observation.Index
	leaders *leaders

	sampling sampling
	buffers  buffers

	mu sync.Mutex
	// sums are what the logs say a read_committed reader must see, of those that were read.
	sums map[ask.TopicPartition]*sums
	// fingerprints are what replicas of those logs are compared by.
	fingerprints map[ask.TopicPartition]*fingerprint
}

// Run reads back every partition of the run's input and outputs into Dir/readback. It returns an error when it can't
// (no broker answers, disk full, interrupted). What is merely incomplete is in the index. Either way the index says how far
// it came.
func Run(ctx context.Context, spec harness.ReadBackSpec) error {
	return read(ctx, spec, defaultSampling)
}

func read(ctx context.Context, spec harness.ReadBackSpec, s sampling) error {
	if err := os.MkdirAll(filepath.Join(spec.Dir, observation.Folder), 0o755); err != nil {
		return fmt.Errorf("read-back: %w", err)
	}
	client, err := harness.DirectClient(spec.Cluster, clientID, kgo.RequestTimeoutOverhead(requestTimeout))
	if err != nil {
		return err
	}
	defer client.Close()
	r := &reading{
		spec: spec, brokers: ask.Of(client, spec.Cluster.Info().Nodes...).Within(requestTimeout),
		index: &observation.Index{Run: spec.RunID}, sampling: s, sums: map[ask.TopicPartition]*sums{}, fingerprints: map[ask.TopicPartition]*fingerprint{},
	}
	r.leaders = &leaders{brokers: r.brokers, topics: topics(spec.Plan)}
	for _, tp := range partitions(spec.Plan) {
		r.index.Partitions = append(r.index.Partitions, observation.Partition{
			Topic: tp.Topic, Partition: tp.Partition, Leader: -1, LeaderEpoch: -1, LogStart: -1, HW: -1, LSO: -1, HWAfter: -1, LSOAfter: -1,
		})
	}
	err = r.run(ctx)
	if err != nil {
		r.index.Failures = append(r.index.Failures, err.Error())
	}
	r.index.Finished = err == nil
	if err := errors.Join(err, r.index.Save(spec.Dir)); err != nil {
		return fmt.Errorf("read-back: %w", err)
	}
	return nil
}

// run goes through the phases. Only what stops everything is an error.
func (r *reading) run(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"ends", func(ctx context.Context) error { return r.each(ctx, r.captureEnds) }},
		{"logs", r.readLogs},
		{"open transactions", func(ctx context.Context) error { return r.each(ctx, r.findOpen) }},
		{"read_committed client", r.checkClients},
		{"committed offsets", r.fetchCommitted},
		{"ends after", func(ctx context.Context) error { return r.each(ctx, r.endsAfter) }},
		{"replicas", r.compareReplicas},
		{"side effects", r.readEffects},
	}
	for _, step := range steps {
		err := step.do(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted while reading %s, %s: %w", step.name, r.howFar(), context.Cause(ctx))
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", step.name, err)
		}
	}
	return nil
}

// readLogs reads every partition, and frees what it read them into.
func (r *reading) readLogs(ctx context.Context) error {
	defer r.buffers.drop()
	return r.each(ctx, r.readPartition)
}

// howFar is how much of the logs was read, for people.
func (r *reading) howFar() string {
	var read, all int64
	for _, p := range r.index.Partitions {
		if p.HW > p.LogStart {
			all += p.HW - p.LogStart
			read += max(0, p.Reached-p.LogStart)
		}
	}
	return fmt.Sprintf("%d of %d offsets read", read, all)
}

// each calls do for every partition, a few at a time, and joins the errors.
func (r *reading) each(ctx context.Context, do func(context.Context, *observation.Partition) error) error {
	return together.AtMost(parallel, len(r.index.Partitions), func(i int) error { return do(ctx, &r.index.Partitions[i]) })
}

// topics lists the topics of a plan once each, the input first.
func topics(plan harness.TopicPlan) []string {
	var names []string
	seen := map[string]bool{"": true}
	add := func(name string) {
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	add(plan.Input)
	for _, output := range plan.Outputs() {
		add(output)
	}
	return names
}

func partitions(plan harness.TopicPlan) []ask.TopicPartition {
	var all []ask.TopicPartition
	for _, topic := range topics(plan) {
		for p := range plan.Partitions {
			all = append(all, ask.TopicPartition{Topic: topic, Partition: int32(p)})
		}
	}
	return all
}

func fail(p *observation.Partition, err error) {
	if p.Failure == "" {
		p.Failure = err.Error()
	}
}
