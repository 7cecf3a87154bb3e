package workloads

import (
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
)

type visible struct {
	history.Output
	isOutput  bool
	partition int32
	offset    int64
}

// readAll reads every record of a topic that read_committed shows, up to the high watermark, which markers move too.
func (r *rig) readAll(topic string) []visible {
	r.t.Helper()
	missing, offsets := map[int32]int64{}, map[int32]kgo.Offset{}
	for p := range int32(partitions) {
		offsets[p] = kgo.NewOffset().AtStart()
		if hw := r.kfake.PartitionInfo(topic, p).HighWatermark; hw > 0 {
			missing[p] = hw
		}
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(r.kfake.ListenAddrs()...), kgo.KeepControlRecords(),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}))
	require.NoError(r.t, err)
	defer client.Close()
	ctx := soon(r.t)
	var all []visible
	for len(missing) > 0 {
		fetches := client.PollFetches(ctx)
		require.NoError(r.t, ctx.Err(), "reading %s, not reached: %v", topic, missing)
		fetches.EachRecord(func(rec *kgo.Record) {
			if rec.Offset+1 >= missing[rec.Partition] {
				delete(missing, rec.Partition)
			}
			if rec.Attrs.IsControl() {
				return
			}
			env, isOutput, err := history.Decode(rec.Value)
			require.NoError(r.t, err)
			all = append(all, visible{env, isOutput, rec.Partition, rec.Offset})
		})
	}
	return all
}

// outputsOf reads every output of a pipeline, from its topic or from the service's store.
func (r *rig) outputsOf(pipeline string) []visible {
	r.t.Helper()
	p, err := Lookup(pipeline)
	require.NoError(r.t, err)
	if !p.Effects {
		return r.readAll("out-" + pipeline)
	}
	store, err := effects.Open(effects.Path(r.dir))
	require.NoError(r.t, err)
	defer store.Close()
	var all []visible
	for partition := range int32(partitions) {
		some, err := store.From(r.t.Context(), pipeline, partition, 0, 1_000_000)
		require.NoError(r.t, err)
		for _, e := range some {
			env, isOutput, err := history.Decode(e.Value)
			require.NoError(r.t, err)
			all = append(all, visible{env, isOutput, partition, e.Offset})
		}
	}
	return all
}

// counts returns how often each input is visible in the pipeline's output, which is the same in all of its topics.
func (r *rig) counts(pipeline string) map[history.Identity]int {
	r.t.Helper()
	inputs := r.readAll("in")
	n := r.countsIn(inputs, r.outputsOf(pipeline))
	l, err := r.plan.Pipeline(pipeline)
	require.NoError(r.t, err)
	for _, topic := range l.Further {
		require.Equal(r.t, n, r.countsIn(inputs, r.readAll(topic)), "all or none: %s", topic)
	}
	return n
}

func (r *rig) countsIn(inputs, outputs []visible) map[history.Identity]int {
	r.t.Helper()
	n := map[history.Identity]int{}
	for _, v := range inputs {
		n[v.Identity] = 0
	}
	for _, v := range outputs {
		require.True(r.t, v.isOutput)
		require.Contains(r.t, n, v.Identity)
		require.Equal(r.t, v.partition, v.Origin.Partition, "output partition = input partition")
		n[v.Identity]++
	}
	return n
}

// lostAndDoubled sums up counts.
func lostAndDoubled(n map[history.Identity]int) (lost, doubled int) {
	for _, times := range n {
		if times == 0 {
			lost++
		}
		doubled += max(0, times-1)
	}
	return lost, doubled
}

// entries reads every history of a process name.
func (r *rig) entries(process string) []history.Entry {
	r.t.Helper()
	var all []history.Entry
	for _, h := range r.Histories() {
		if h.Process != process {
			continue
		}
		path := filepath.Join(r.dir, h.File)
		info, err := os.Stat(path)
		require.NoError(r.t, err)
		require.Equal(r.t, h.Bytes, info.Size())
		tail, err := history.ReadFile(path, func(e history.Entry) error { all = append(all, e); return nil })
		require.NoError(r.t, err)
		require.Equal(r.t, !h.Killed, tail.Whole(), "%s: %+v", h.File, tail)
	}
	return all
}
