package verifiers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
)

// livePlants change what the live reader of the corpus' baseline says it was given. Each returns the polls to put for one, which
// is the n-th of its row.
var livePlants = []struct {
	name, pipeline, number string
	do                     func(n int, s *history.DeliveredLive) []*history.DeliveredLive
	breaks                 harness.Guarantee
}{
	{"every 50th poll goes back to offset 0", "idempotent", "pollsBack", func(n int, s *history.DeliveredLive) []*history.DeliveredLive {
		if n%50 != 49 {
			return []*history.DeliveredLive{s}
		}
		back := *s
		back.From, back.To, back.Count, back.New = 0, 50, 50, 0
		return []*history.DeliveredLive{s, &back}
	}, harness.AtMostOnce},
	{"every 50th poll is given 7 records more", "acks1", "dirtyReads", func(n int, s *history.DeliveredLive) []*history.DeliveredLive {
		if n%50 == 49 {
			s.Count += 7
		}
		return []*history.DeliveredLive{s}
	}, harness.AtMostOnce},
	{"19 polls in a row skipped", "auto-commit", "pollSkips", func(n int, s *history.DeliveredLive) []*history.DeliveredLive {
		if n >= 100 && n < 119 {
			return nil
		}
		return []*history.DeliveredLive{s}
	}, harness.AtLeastOnce},
	{"every delivery 2 s earlier", "transactional", "earlyReads", func(_ int, s *history.DeliveredLive) []*history.DeliveredLive {
		s.At = s.At.Add(-2 * time.Second)
		return []*history.DeliveredLive{s}
	}, harness.AtMostOnce},
}

// TestReadsOfARealRunGoWrong plants in a run of real brokers what its live reader was given: the row is violated, and no other.
func TestReadsOfARealRunGoWrong(t *testing.T) {
	for _, c := range livePlants {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			unpack(t, "testdata/corpus/baseline.tar.gz", dir)
			replant(t, dir, c.pipeline, c.do)
			report, err := verifiers.Judge(dir)
			require.NoError(t, err)
			for _, row := range report.Rows {
				want := harness.Held
				if row.Pipeline == c.pipeline {
					want = harness.Violated
					require.Positive(t, row.Numbers.Count(c.number))
				}
				require.Equal(t, want, row.Verdict(c.breaks), row.Pipeline)
			}
		})
	}
}

// replant rewrites what the live reader says of one row.
func replant(t *testing.T, dir, pipeline string, do func(int, *history.DeliveredLive) []*history.DeliveredLive) {
	path := filepath.Join(dir, "history", "observer-live.hist")
	var process history.Process
	var kept []history.Entry
	n := 0
	_, err := history.ReadFile(path, func(e history.Entry) error {
		switch e := e.(type) {
		case *history.Process:
			process = *e
		case *history.End:
		case *history.DeliveredLive:
			if !strings.HasSuffix(e.Topic, "-out-"+pipeline) {
				kept = append(kept, e)
				break
			}
			for _, s := range do(n, e) {
				kept = append(kept, s)
			}
			n++
		default:
			kept = append(kept, e)
		}
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	out, err := history.Create(path, process)
	require.NoError(t, err)
	require.NoError(t, out.Write(kept...))
	require.NoError(t, out.Close())
	resize(t, dir, "history/observer-live.hist")
}

// resize says in the run's record how large a history is now.
func resize(t *testing.T, dir, file string) {
	record, err := harness.LoadRecord(dir)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(dir, file))
	require.NoError(t, err)
	for i := range record.Histories {
		if record.Histories[i].File == file {
			record.Histories[i].Bytes = info.Size()
		}
	}
	data, err := json.Marshal(record)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.json"), data, 0o644))
}
