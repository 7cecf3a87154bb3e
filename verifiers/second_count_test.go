package verifiers_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// inputAt is one input: its partition and offset.
type inputAt struct {
	partition int32
	offset    int64
}

// secondCount is what a row's logs hold, in plain maps: nothing of the judge is used but the reader of its files.
type secondCount struct {
	inputs          map[inputAt]history.Identity
	visible, hidden map[inputAt]bool
	// confirmed are the highest offsets whose commit the row's workers know to have taken effect.
	confirmed map[int32]int64
}

// confirmedCommits reads the histories of a row's workers.
func confirmedCommits(t *testing.T, dir string, record *harness.RunRecord, row string) map[int32]int64 {
	highest := map[int32]int64{}
	for _, h := range record.Histories {
		if h.Role != "worker" || h.Pipeline != row {
			continue
		}
		asked := map[uint64][]history.PartitionOffset{}
		_, err := history.ReadFile(filepath.Join(dir, h.File), func(e history.Entry) error {
			var now []history.PartitionOffset
			switch e := e.(type) {
			case *history.Committing:
				asked[e.Txn] = slices.Clone(e.Offsets)
			case *history.Committed:
				if e.Txn == 0 && e.Outcome == history.OutcomeConfirmed {
					now = e.Offsets
				}
			case *history.TxnEnded:
				if e.Commit && e.Outcome == history.OutcomeConfirmed {
					now = asked[e.Txn]
				}
			}
			for _, o := range now {
				highest[o.Partition] = max(highest[o.Partition], o.Offset)
			}
			return nil
		})
		require.NoError(t, err)
	}
	return highest
}

// what becomes of a record.
const (
	aborted = iota
	waiting
	visible
)

// eachRecord calls fn with a log's data, and with what a read_committed reader makes of it.
func eachRecord(t *testing.T, path string, lso int64, fn func(r observation.Record, is int)) {
	var kept []observation.Batch
	open, ended := map[int64][]int{}, map[int]bool{}
	_, _, err := observation.ReadFile(path, false, func(b *observation.Batch) error {
		one := *b
		one.Records = append([]observation.Record(nil), b.Records...)
		kept = append(kept, one)
		switch {
		case b.Control && (b.Marker == observation.MarkerAbort || b.Marker == observation.MarkerCommit):
			for _, i := range open[b.ProducerID] {
				ended[i] = b.Marker == observation.MarkerAbort
			}
			delete(open, b.ProducerID)
		case b.Transactional && !b.Control:
			open[b.ProducerID] = append(open[b.ProducerID], len(kept)-1)
		}
		return nil
	})
	require.NoError(t, err)
	for _, those := range open {
		lso = min(lso, kept[those[0]].First)
	}
	for i, b := range kept {
		if b.Control || b.Damaged {
			continue
		}
		is := visible
		switch {
		case ended[i]:
			is = aborted
		case b.First >= lso:
			is = waiting
		}
		for _, r := range b.Records {
			fn(r, is)
		}
	}
}

func countAgain(t *testing.T, dir string, record *harness.RunRecord, index *observation.Index, row harness.PipelineLayout) secondCount {
	c := secondCount{inputs: map[inputAt]history.Identity{}, visible: map[inputAt]bool{}, hidden: map[inputAt]bool{}, confirmed: confirmedCommits(t, dir, record, row.Name)}
	for p := range int32(record.Plan.Partitions) {
		x := index.Partition(record.Plan.Input, p)
		eachRecord(t, observation.File(dir, record.Plan.Input, p), x.LSO, func(r observation.Record, is int) {
			if r.Status == observation.Input && (is == visible || !row.ReadCommitted) {
				c.inputs[inputAt{p, r.Offset}] = r.Identity
			}
		})
	}
	for p := range int32(record.Plan.Partitions) {
		topic := row.Outputs()[0]
		x := index.Partition(topic, p)
		eachRecord(t, observation.File(dir, topic, p), x.LSO, func(r observation.Record, is int) {
			at := inputAt{r.Partition, r.Origin.Offset}
			identity, known := c.inputs[at]
			switch {
			case r.Status != observation.Output || !known || identity != r.Identity:
			case is == visible:
				c.visible[at] = true
			case is == waiting:
				c.hidden[at] = true
			}
		})
	}
	return c
}

// TestSecondCount counts what became of every input a second time, in a way that shares nothing with the judge: the parts of
// its sum come from its own sets, and can agree with one another and be wrong.
func TestSecondCount(t *testing.T) {
	packed, err := filepath.Glob("testdata/corpus/*.tar.gz")
	require.NoError(t, err)
	counted, found := 0, map[string]uint64{}
	for _, path := range packed {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, path, dir)
			counted += countRun(t, dir, found)
		})
	}
	require.GreaterOrEqual(t, counted, 15, "rows of the corpus")
	for i := range 60 {
		t.Run("drawn "+strconv.Itoa(i), func(t *testing.T) { countRun(t, verifiers.SaveDrawn(t, i), found) })
	}
	for _, key := range parts {
		require.Positive(t, found[key], "no run has any %s", key)
	}
}

var parts = []string{"input", "unique", "lost", "unprocessed", "hidden"}

// countRun compares every row of workers that commit offsets, and adds to found; it returns how many there are.
func countRun(t *testing.T, dir string, found map[string]uint64) (rows int) {
	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	record, err := harness.LoadRecord(dir)
	require.NoError(t, err)
	index, err := observation.LoadIndex(dir)
	require.NoError(t, err)
	if _, err := os.Stat(observation.File(dir, record.Plan.Input, 0)); err != nil {
		return 0
	}
	for _, row := range record.Plan.Pipelines {
		if !row.ProducerOnly && !row.Effects && !row.ShareGroup && !row.ReadUncommittedOutput && len(row.Outputs()) == 1 {
			rows++
			requireCounted(t, rowNamed(report, row.Name), index, row, countAgain(t, dir, record, index, row), found)
		}
	}
	return rows
}

func requireCounted(t *testing.T, got harness.Row, index *observation.Index, row harness.PipelineLayout, c secondCount, found map[string]uint64) {
	passed := c.confirmed
	for _, p := range index.Positions {
		if p.Group == row.Group {
			passed[p.Partition] = max(passed[p.Partition], p.Offset)
		}
	}
	want := map[string]uint64{"input": uint64(len(c.inputs))}
	for at := range c.inputs {
		switch {
		case c.visible[at]:
			want["unique"]++
		case c.hidden[at]:
			want["hidden"]++
		case at.offset < passed[at.partition]:
			want["lost"]++
		default:
			want["unprocessed"]++
		}
	}
	for _, key := range parts {
		found[key] += want[key]
		require.Equal(t, want[key], got.Numbers.Count(key), "%s: %s", row.Name, key)
	}
}
