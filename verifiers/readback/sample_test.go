package readback

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// small makes a sample of the small logs that tests write: a segment is a batch.
var small = sampling{whole: 1, sample: 1200, segment: 1}

func runSampled(t *testing.T, c *fakecluster.Cluster) *observation.Index {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, read(within(t), harness.ReadBackSpec{Dir: dir, RunID: runID, Cluster: c, Plan: plan}, small))
	index, err := observation.LoadIndex(dir)
	require.NoError(t, err)
	return index
}

// TestSampledClient: of logs that are too large, both ends and the aborted transaction are compared, and what is compared
// is the same.
func TestSampledClient(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	index := runSampled(t, c)
	var sampled, all uint64
	for _, p := range index.Partitions {
		require.Empty(t, p.ClientErr)
		require.NotEmpty(t, p.Checked)
		require.Zero(t, p.Client.Count)
		require.LessOrEqual(t, p.Checked[0].From, p.LogStart)
		require.Equal(t, p.LSO, p.Checked[len(p.Checked)-1].To)
		for _, x := range p.Checked {
			require.Equal(t, x.Committed, x.Client)
			sampled += x.Client.Count
		}
		all += p.Committed.Count
		if p.Topic == "out" {
			at := p.Aborted[0]
			require.True(t, coveredBy(p.Checked, at.Last), "the abort marker at %d lies in %v", at.Last, p.Checked)
		}
	}
	require.Less(t, sampled, all)
}

func coveredBy(ranges []observation.Range, offset int64) bool {
	for _, x := range ranges {
		if offset >= x.From && offset < x.To {
			return true
		}
	}
	return false
}

// TestClientThatReadsSomethingElse: another value, a record less or a record more in a range gives another sum.
func TestClientThatReadsSomethingElse(t *testing.T) {
	var log sum
	values := []*kgo.Record{{Offset: 3, Value: []byte("a")}, {Offset: 4, Value: []byte("b")}, {Offset: 5, Value: []byte("c")}}
	for _, r := range values {
		log.add(r.Offset, digest(r.Value, history.ErrForeign))
	}
	x := ranges([]segment{{from: 3, committed: log}}, []int{0}, 6)
	saw := func(records ...*kgo.Record) observation.Sum {
		rd := &reader{part: &observation.Partition{Checked: x}}
		require.True(t, rd.take(records))
		return rd.sum.saved()
	}
	require.Equal(t, x[0].Committed, saw(values...))
	require.NotEqual(t, x[0].Committed, saw(values[0], values[2]))
	require.NotEqual(t, x[0].Committed, saw(values[0], &kgo.Record{Offset: 4, Value: []byte("x")}, values[2]))
	require.NotEqual(t, x[0].Committed, saw(values[0], values[1], values[1], values[2]))
	require.Equal(t, x[0].Committed, saw(append(values, &kgo.Record{Offset: 6, Value: []byte("behind it")})...))
}

// TestChoose: small logs are chosen whole; of large ones both ends always, then aborts, never more than the sample apart
// from the ends, and the same each time.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var logs [][]segment
		var total int64
		for range rapid.IntRange(0, 4).Draw(t, "partitions") {
			var of []segment
			for i := range rapid.IntRange(0, 12).Draw(t, "segments") {
				s := segment{from: int64(10 * i), bytes: rapid.Int64Range(1, 10).Draw(t, "bytes"), aborted: rapid.Bool().Draw(t, "aborted")}
				total += s.bytes
				of = append(of, s)
			}
			logs = append(logs, of)
		}
		s := sampling{whole: 60, sample: 30}
		chosen := s.choose(logs)
		require.Equal(t, chosen, s.choose(logs))
		var count int
		var inner int64
		missedAbort, tookOther := false, false
		for p, of := range logs {
			taken := map[int]bool{}
			for _, i := range chosen[p] {
				taken[i] = true
			}
			count += len(chosen[p])
			for i, x := range of {
				end := i == 0 || i == len(of)-1
				require.False(t, end && !taken[i], "an end of partition %d is left out", p)
				missedAbort = missedAbort || x.aborted && !taken[i]
				tookOther = tookOther || total > s.whole && !x.aborted && !end && taken[i]
				if taken[i] && !end {
					inner += x.bytes
				}
			}
			if total <= s.whole {
				require.Len(t, chosen[p], len(of))
			}
		}
		if total > s.whole {
			require.LessOrEqual(t, inner, s.sample)
			require.False(t, missedAbort && tookOther, "aborts come first")
		}
	})
}

// TestRangesJoin: neighbours are one range, with the sum of both.
func TestRangesJoin(t *testing.T) {
	segments := []segment{{from: 0, committed: sum{1, 1}}, {from: 10, committed: sum{2, 2}}, {from: 20, committed: sum{4, 4}}, {from: 30, committed: sum{8, 8}}}
	require.Equal(t, []observation.Range{
		{From: 0, To: 20, Committed: sum{3, 3}.saved()}, {From: 30, To: 41, Committed: sum{8, 8}.saved()},
	}, ranges(segments, []int{0, 1, 3}, 41))
}
