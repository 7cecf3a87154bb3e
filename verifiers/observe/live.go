package observe

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

const (
	// latencyEvery is how often the latencies so far are written: the judge subtracts those from before the load.
	latencyEvery = 2 * time.Second
	// latencyLowest and latencyHighest are the histogram's bounds, in nanoseconds; what lies beyond counts as the bound.
	latencyLowest  = int64(time.Microsecond)
	latencyHighest = int64(time.Hour)
	latencyDigits  = 3
	// liveMaxWait is how long a broker may hold a fetch back while there is nothing new.
	liveMaxWait = 250 * time.Millisecond
)

// live reads every output topic as an ordinary read_committed consumer, without a group.
type live struct {
	dir        string
	runID      history.RunID
	partitions int
	client     *kgo.Client
	out        *history.Writer
	fail       func(error)
	// byTopic is the pipeline whose output a topic is, and which of its topics.
	byTopic    map[string]topicOf
	byPipeline map[string]*output
	// taking is held while a poll is recorded.
	taking  sync.Mutex
	written history.Time
}

// output is one pipeline's output topics as delivered so far. With several topics an input is delivered once in each.
type output struct {
	layout harness.PipelineLayout
	// inputs are the inputs' places, sequences what the source called them: an input log that was cut off and written again
	// holds another record at a place.
	inputs, sequences *keyset.Set
	latency           *hdrhistogram.Histogram
	// visible are the distinct inputs, by output partition (harness.PipelineLayout.Place).
	visible []atomic.Uint64
}

type topicOf struct {
	*output
	// first is the number of the topic's partition 0.
	first int32
}

// visibleIn is the number of distinct inputs of a partition that are in every topic.
func (o *output) visibleIn(partition int32) uint64 {
	topics := len(o.layout.Outputs())
	partitions := len(o.visible) / topics
	if partition < 0 || int(partition) >= partitions {
		return 0
	}
	n := o.visible[partition].Load()
	for t := 1; t < topics; t++ {
		n = min(n, o.visible[t*partitions+int(partition)].Load())
	}
	return n
}

func newLive(spec harness.ObserverSpec, fail func(error)) (*live, error) {
	l := &live{
		dir: spec.Dir, runID: spec.RunID, partitions: spec.Plan.Partitions, fail: fail,
		byTopic: map[string]topicOf{}, byPipeline: map[string]*output{}, written: history.Now(),
	}
	assignment := map[string]map[int32]kgo.Offset{}
	for _, layout := range spec.Plan.Pipelines {
		o := &output{
			layout: layout, inputs: keyset.New(), sequences: keyset.New(), visible: make([]atomic.Uint64, spec.Plan.Partitions*len(layout.Outputs())),
			latency: hdrhistogram.New(latencyLowest, latencyHighest, latencyDigits),
		}
		l.byPipeline[layout.Name] = o
		for i, topic := range layout.Outputs() {
			l.byTopic[topic] = topicOf{o, int32(i * spec.Plan.Partitions)}
			if !layout.Effects {
				assignment[topic] = fromStart(spec.Plan.Partitions)
			}
		}
	}
	var err error
	l.client, err = harness.DirectClient(spec.Cluster, "chaeos-live", kgo.ConsumePartitions(assignment),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.FetchMaxWait(liveMaxWait), kgo.RequestTimeoutOverhead(linkTimeout))
	if err != nil {
		return nil, err
	}
	if l.out, err = create(spec, "observer-live", LiveFile); err == nil {
		err = l.out.Write(&history.Mark{Stamp: history.AtNow(), Name: history.MarkSequences})
	}
	if err != nil {
		l.client.Close()
		return nil, err
	}
	return l, nil
}

func fromStart(partitions int) map[int32]kgo.Offset {
	offsets := map[int32]kgo.Offset{}
	for p := range partitions {
		offsets[int32(p)] = kgo.NewOffset().AtStart()
	}
	return offsets
}

func (l *live) run(ctx context.Context) {
	for ctx.Err() == nil {
		// A poll's context is cut short so that latencies are written also when nothing arrives.
		pollCtx, cancel := context.WithTimeout(ctx, latencyEvery)
		fetches := l.client.PollFetches(pollCtx)
		cancel()
		l.take(fetches, history.Now())
	}
	l.taking.Lock()
	defer l.taking.Unlock()
	l.writeLatencies(history.Now())
}

// take records what one poll delivered. Topics and side effects are polled at the same time.
func (l *live) take(fetches kgo.Fetches, now history.Time) {
	l.taking.Lock()
	defer l.taking.Unlock()
	var entries []history.Entry
	fetches.EachError(func(topic string, partition int32, err error) {
		var loss *kgo.ErrDataLoss
		if errors.As(err, &loss) {
			entries = append(entries, &history.Mark{Stamp: history.At(now), Name: history.MarkDataLoss, Text: fmt.Sprintf("%s/%d: %v", topic, partition, err)})
		}
	})
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		o := l.byTopic[f.Topic]
		if o.output == nil || len(f.Records) == 0 {
			return
		}
		fresh := l.deliver(o, f.Records, now)
		o.visible[o.first+f.Partition].Add(fresh)
		entries = append(entries, &history.DeliveredLive{
			Stamp: history.At(now), Topic: f.Topic, Partition: f.Partition,
			From: f.Records[0].Offset, To: f.Records[len(f.Records)-1].Offset + 1, Count: uint64(len(f.Records)), New: fresh,
		})
	})
	if len(entries) > 0 {
		l.fail(l.out.Write(entries...))
	}
	if now.Sub(l.written) >= latencyEvery {
		l.writeLatencies(now)
	}
}

// deliver returns how many of the records bring an input that was not delivered before, and adds their latencies.
func (l *live) deliver(o topicOf, records []*kgo.Record, now history.Time) (fresh uint64) {
	for _, rec := range records {
		env, isOutput, err := history.Decode(rec.Value)
		if err != nil || env.Run != l.runID || isOutput == o.layout.ProducerOnly {
			continue
		}
		key := keyset.BySequence(env.Sequence, l.partitions)
		key.Partition += o.first
		first := o.sequences.Add(key)
		if isOutput {
			first = o.inputs.Add(keyset.Key{Partition: o.first + env.Origin.Partition, Index: uint64(env.Origin.Offset)}) || first
		}
		if first {
			fresh++
			// Out of the histogram's range can't happen after the clamp.
			_ = o.latency.RecordValue(min(max(int64(now.Sub(env.Scheduled)), latencyLowest), latencyHighest))
		}
	}
	return fresh
}

func (l *live) writeLatencies(now history.Time) {
	l.written = now
	for _, o := range l.byPipeline {
		hdr, err := o.latency.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			l.fail(fmt.Errorf("latency histogram: %w", err))
			return
		}
		l.fail(l.out.Write(&history.Latency{Stamp: history.At(now), Pipeline: o.layout.Name, HDR: hdr}))
	}
}

func (l *live) close() error {
	l.client.Close()
	if err := l.out.Close(); err != nil {
		return fmt.Errorf("observer: %w", err)
	}
	return nil
}
