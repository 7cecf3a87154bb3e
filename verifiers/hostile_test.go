package verifiers_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// hostile is one way in which a folder from elsewhere can try to stop, fill or mislead its reader.
type hostile struct {
	name string
	// want is part of the error, or of a doubt.
	want string
	// harmless is why it may be held all the same ("": it may not).
	harmless string
	// make changes the run in memory, or puts something else in the place of the files that it returns.
	make func(m *mutant) []string
}

func edit(do func(m *mutant)) func(*mutant) []string {
	return func(m *mutant) []string { do(m); return nil }
}

// instead puts something else where a file was.
func instead(file func(m *mutant) string, put func(path string) error) func(*mutant) []string {
	return func(m *mutant) []string {
		path := file(m)
		require.NoError(m.t, os.Remove(path))
		require.NoError(m.t, put(path))
		return []string{path}
	}
}

func aSource(m *mutant) string {
	i := slices.IndexFunc(m.record.Histories, func(h harness.HistoryRecord) bool { return h.Role == "source" })
	return filepath.Join(m.run.dir, m.record.Histories[i].File)
}

func anInput(m *mutant) string { return observation.File(m.run.dir, m.record.Plan.Input, 0) }

func theRecord(m *mutant) string { return filepath.Join(m.run.dir, harness.RecordFile) }

func theIndex(m *mutant) string {
	return filepath.Join(m.run.dir, observation.Folder, observation.IndexFile)
}

func pipe(path string) error { return syscall.Mkfifo(path, 0o644) }

func zeroes(path string) error { return os.Symlink("/dev/zero", path) }

func folder(path string) error { return os.Mkdir(path, 0o755) }

func nested(path string) error {
	return os.WriteFile(path, []byte(`{"plan":`+strings.Repeat(`[`, 1<<20)), 0o644)
}

// firstAck changes the first span of the source's first acknowledgement.
func firstAck(do func(s *history.AckSpan)) func(*mutant) []string {
	return edit(func(m *mutant) {
		all := entriesOf(m.source(), func(e *history.Acked) bool { return len(e.Spans) > 0 })
		do(&all[0].Spans[0])
	})
}

// sample changes the first sample.
func sample(do func(s *history.Sample)) func(*mutant) []string {
	return edit(func(m *mutant) {
		do(entriesOf(m.observer("observer-samples"), func(*history.Sample) bool { return true })[0])
	})
}

func delivered(do func(s *history.DeliveredLive)) func(*mutant) []string {
	return edit(func(m *mutant) {
		do(m.deliveries(m.observer("observer-live"))[0])
	})
}

const (
	irregular = "is not a regular file: use a folder as chaeos run left it"
	huge      = 1 << 60
)

var hostiles = []hostile{
	{"run.json is a pipe", irregular, "", instead(theRecord, pipe)},
	{"run.json has no end", irregular, "", instead(theRecord, zeroes)},
	{"run.json is a folder", irregular, "", instead(theRecord, folder)},
	{"run.json is nested deeply", "exceeded max depth", "", instead(theRecord, nested)},
	{"the index is a pipe", irregular, "", instead(theIndex, pipe)},
	{"the index has no end", irregular, "", instead(theIndex, zeroes)},
	{"the index is nested deeply", "exceeded max depth", "", instead(theIndex, nested)},
	{"a history is a pipe", irregular, "", instead(aSource, pipe)},
	{"a history has no end", irregular, "", instead(aSource, zeroes)},
	{"a history is a folder", irregular, "", instead(aSource, folder)},
	{"a log is a pipe", irregular, "", instead(anInput, pipe)},
	{"a log has no end", irregular, "", instead(anInput, zeroes)},
	{"a log is a folder", irregular, "", instead(anInput, folder)},
	{"a history outside the folder", "is outside the folder", "", edit(func(m *mutant) { m.record.Histories[0].File = "../../etc/passwd" })},
	{"fewer than no partitions", "plan.partitions is -3", "", edit(func(m *mutant) { m.record.Plan.Partitions = -3 })},
	{"a million partitions", "plan.partitions is 1000000", "", edit(func(m *mutant) { m.record.Plan.Partitions = 1_000_000 })},
	{"2^31-1 partitions", "plan.partitions is 2147483647", "", edit(func(m *mutant) { m.record.Plan.Partitions = 1<<31 - 1 })},
	{"2^31 workers", "workers is 2147483648", "", edit(func(m *mutant) { m.record.Workers = 1 << 31 })},
	{"fewer than no workers", "workers is -1", "", edit(func(m *mutant) { m.record.Workers = -1 })},
	{"a member's numbers below 0", "number 0, incarnation 1", "", edit(func(m *mutant) {
		m.record.Histories[0].Number, m.record.Histories[0].Incarnation = -1, -7
	})},
	{"2^60 records acknowledged", "not counted", "", firstAck(func(s *history.AckSpan) { s.Count = huge })},
	{"2^60 records acknowledged, steps apart", "not counted", "", firstAck(func(s *history.AckSpan) { s.Count, s.Stride = huge, 7 })},
	{"2^64-1 records acknowledged", "not counted", "", firstAck(func(s *history.AckSpan) { s.Count = 1<<64 - 1 })},
	{"2^60 records announced", "not counted", "", edit(func(m *mutant) {
		entriesOf(m.source(), func(*history.Intent) bool { return true })[0].Count = huge
	})},
	{"2^60 records delivered", "", "", delivered(func(s *history.DeliveredLive) { s.Count, s.New = huge, huge })},
	{"2^60 offsets delivered", "", "", delivered(func(s *history.DeliveredLive) { s.To = huge })},
	{"2^60 records in a poll", "", "a log may have reached further before it was truncated", edit(func(m *mutant) {
		e := entriesOf(m.worker(), func(*history.Polled) bool { return true })[0]
		e.Count, e.To = huge, huge
	})},
	{"2^60 records below a sample", "", "an end that went back takes nothing from a row that lost nothing", sample(func(s *history.Sample) { s.HW, s.LSO = huge, huge })},
	{"a sample's partition below 0", "", "no partition of the run is that one", sample(func(s *history.Sample) { s.Partition = -1 << 31 })},
	{"a sample in 290 years", "no run is that long", "", sample(func(s *history.Sample) { s.At = 1<<63 - 1 })},
	{"a sample 290 years ago", "no run is that long", "", sample(func(s *history.Sample) { s.At = -1 << 63 })},
	{"a delivery in 30 years", "no run is that long", "", delivered(func(s *history.DeliveredLive) { s.At += 1_000_000_000_000_000_000 })},
	{"an acknowledgement in 30 years", "no run is that long", "", edit(func(m *mutant) {
		entriesOf(m.source(), func(*history.Acked) bool { return true })[0].At += 1_000_000_000_000_000_000
	})},
	{"an end of 2^60", "", "", onEnd(huge)},
	{"an end below 0", "", "", onEnd(-huge)},
	{"a log's partition below 0", "it is not judged", "", edit(func(m *mutant) { m.index.Partitions[0].Partition = -1 << 31 })},
	{"a committed offset of 2^60", "", "", edit(func(m *mutant) { m.index.Positions[0].Offset = huge })},
	{"a fault in 290 years", "", "", edit(func(m *mutant) {
		m.record.Faults = append(m.record.Faults, harness.FaultRecord{Injected: 1, Healed: 1<<63 - 1})
	})},
}

func onEnd(end int64) func(*mutant) []string {
	return edit(func(m *mutant) {
		x := &m.index.Partitions[0]
		x.HW, x.LSO, x.HWAfter, x.LSOAfter, x.Reached = end, end, end, end, end
	})
}

// mostBuckets is more than the saved run has.
const mostBuckets = 1 << 20

// TestHostileFolders: whatever a folder holds, it is judged or refused, in bounded memory, and held only where that is harmless.
func TestHostileFolders(t *testing.T) {
	run := loadSaved(t, filepath.Join("testdata/corpus", "baseline.tar.gz"))
	for i, h := range hostiles {
		t.Run(h.name, func(t *testing.T) {
			m := run.mutant(t, uint64(i))
			m.row = held(t, run)
			var before, after runtime.MemStats
			touched := m.save(h.make(m))
			defer run.restore(t, touched)
			runtime.ReadMemStats(&before)
			report, err := verifiers.Judge(run.dir)
			buckets := 0
			_ = timeline.Build(run.dir, func(timeline.Bucket) error {
				if buckets++; buckets > mostBuckets {
					t.Fatal("the timeline has no end")
				}
				return nil
			})
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30), "bytes")
			if err != nil {
				require.NotEmpty(t, h.want, err.Error())
				require.ErrorContains(t, err, h.want)
				require.ErrorContains(t, err, run.dir)
				return
			}
			if h.want != "" {
				text, err := json.Marshal(report)
				require.NoError(t, err)
				require.Contains(t, string(text), h.want)
			}
			if h.harmless == "" {
				require.False(t, m.isHeld(report, nil), "held")
			}
		})
	}
}

// held is a row with workers that holds what it claims.
func held(t *testing.T, run *savedRun) harness.PipelineLayout {
	i := slices.IndexFunc(run.held, func(l harness.PipelineLayout) bool { return !l.ProducerOnly })
	require.GreaterOrEqual(t, i, 0)
	return run.held[i]
}

// save writes what was taken hold of, except over files that were replaced, and lists all that differs from the saved run.
func (m *mutant) save(replaced []string) (touched []string) {
	touched = append(touched, replaced...)
	for _, h := range m.hists {
		path := filepath.Join(m.run.dir, h.record.File)
		h.write(m.t, path)
		touched = append(touched, path)
	}
	for path, v := range map[string]any{theRecord(m): &m.record, theIndex(m): &m.index} {
		if !slices.Contains(replaced, path) {
			writeJSON(m.t, path, v)
			touched = append(touched, path)
		}
	}
	return touched
}

func (r *savedRun) restore(t *testing.T, touched []string) {
	for _, path := range touched {
		require.NoError(t, os.RemoveAll(path))
		require.NoError(t, os.WriteFile(path, r.files[path], 0o644))
	}
}
