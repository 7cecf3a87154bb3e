package bench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"golang.org/x/sync/errgroup"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/readback"
)

// reading is what a process has to read: one topic, over the brokers' own ports.
type reading struct {
	Info   harness.ClusterInfo `json:"info"`
	Direct harness.Dials       `json:"direct"`
	Topic  string              `json:"topic"`
	// Ends are the partitions' high watermarks.
	Ends map[int32]int64 `json:"ends"`
	Dir  string          `json:"dir"`
}

// read is what it says when it is done.
type read struct {
	Seconds float64 `json:"seconds"`
	Records int64   `json:"records"`
	// CPUSeconds are those of all its threads.
	CPUSeconds float64 `json:"cpuSeconds"`
	PeakKiB    int64   `json:"peakKiB"`
}

// directly is a cluster as far as clients see it.
type directly struct {
	harness.Cluster
	asked reading
}

func (d directly) Info() harness.ClusterInfo { return d.asked.Info }
func (d directly) Direct() harness.Dials     { return d.asked.Direct }

// reader makes a process's part out of what reads a topic and counts its records.
func reader(all func(context.Context, reading) (int64, error)) func(context.Context, io.Reader, io.Writer) error {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		var asked reading
		if err := json.NewDecoder(in).Decode(&asked); err != nil {
			return err
		}
		begin, cpu := time.Now(), cpuSeconds()
		records, err := all(ctx, asked)
		if err != nil {
			return err
		}
		said := read{Seconds: time.Since(begin).Seconds(), Records: records, CPUSeconds: cpuSeconds() - cpu}
		if said.PeakKiB, err = peakMemory(); err != nil {
			return err
		}
		return json.NewEncoder(out).Encode(said)
	}
}

// pollAll is the bare poll loop: a consumer with its library's settings that looks at nothing.
func pollAll(ctx context.Context, asked reading) (records int64, err error) {
	assignment := map[int32]kgo.Offset{}
	for p := range asked.Ends {
		assignment[p] = kgo.NewOffset().AtStart()
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(asked.Info.Bootstrap...), harness.Via(asked.Direct),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{asked.Topic: assignment}))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	for left := total(asked.Ends); left > records; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return records, err
		}
		records += int64(fetches.NumRecords())
	}
	return records, nil
}

func total(ends map[int32]int64) (n int64) {
	for _, end := range ends {
		n += end
	}
	return n
}

// readBackAll is the read-back of a run whose only topic this is, with every check.
func readBackAll(ctx context.Context, asked reading) (int64, error) {
	plan := harness.TopicPlan{Input: asked.Topic, Partitions: len(asked.Ends)}
	return total(asked.Ends), readback.Run(ctx, harness.ReadBackSpec{Dir: asked.Dir, RunID: benchRun, Cluster: directly{asked: asked}, Plan: plan})
}

// limitBytes is what one Fetch of the limit asks for.
const limitBytes = 8 << 20

// fetchAll is the limit: raw Fetch, one goroutine a partition, of each batch only its header.
func fetchAll(ctx context.Context, asked reading) (records int64, err error) {
	versions := kversion.Stable()
	versions.SetMaxKeyVersion(int16(kmsg.Fetch), 12) // the last that names topics
	client, err := harness.DirectClient(directly{asked: asked}, "bench-limit", kgo.MaxVersions(versions))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	meta, err := ask.Of(client, asked.Info.Nodes...).Metadata(ctx, asked.Topic)
	if err != nil {
		return 0, err
	}
	if len(meta.Topics[asked.Topic]) != len(asked.Ends) {
		return 0, fmt.Errorf("%s has %d partitions, %d were filled", asked.Topic, len(meta.Topics[asked.Topic]), len(asked.Ends))
	}
	counts := make([]int64, len(asked.Ends))
	group, ctx := errgroup.WithContext(ctx)
	for p, end := range asked.Ends {
		group.Go(func() (err error) {
			leader := meta.Topics[asked.Topic][p].Leader
			counts[p], err = fetchPartition(ctx, client.Broker(leader), asked.Topic, p, end)
			return err
		})
	}
	err = group.Wait()
	for _, n := range counts {
		records += n
	}
	return records, err
}

func fetchPartition(ctx context.Context, broker *kgo.Broker, topic string, partition int32, end int64) (records int64, err error) {
	for next := int64(0); next < end; {
		req := kmsg.NewPtrFetchRequest()
		req.MaxWaitMillis, req.MinBytes, req.MaxBytes, req.SessionEpoch = 500, 1, 2*limitBytes, -1
		t := kmsg.NewFetchRequestTopic()
		t.Topic = topic
		p := kmsg.NewFetchRequestTopicPartition()
		p.Partition, p.FetchOffset, p.PartitionMaxBytes = partition, next, limitBytes
		t.Partitions = append(t.Partitions, p)
		req.Topics = append(req.Topics, t)
		resp, err := broker.Request(ctx, req)
		if err != nil {
			return records, err
		}
		got := resp.(*kmsg.FetchResponse).Topics[0].Partitions[0]
		if err := kerr.ErrorForCode(got.ErrorCode); err != nil {
			return records, err
		}
		before := next
		for raw := got.RecordBatches; len(raw) >= 61; {
			size := 12 + int(int32(binary.BigEndian.Uint32(raw[8:])))
			if size > len(raw) {
				break
			}
			next = int64(binary.BigEndian.Uint64(raw)) + int64(int32(binary.BigEndian.Uint32(raw[23:]))) + 1
			records += int64(int32(binary.BigEndian.Uint32(raw[57:])))
			raw = raw[size:]
		}
		if next == before {
			return records, errors.New("a fetch brought nothing")
		}
	}
	return records, nil
}
