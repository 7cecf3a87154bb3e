package verifiers_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
)

// TestTimesOfARunWithoutALoad: where the load never began, report, explain and evidence count from the run's start, not from
// the machine's.
func TestTimesOfARunWithoutALoad(t *testing.T) {
	dir := verifiers.SaveStalled(t)
	record, err := harness.LoadRecord(dir)
	require.NoError(t, err)
	base := record.Base
	require.Greater(t, base.Sub(0), 10*time.Minute, "the world did not begin when the machine did, or this test shows nothing")
	record.LoadStart = 0
	require.NoError(t, record.Save(dir))

	report, err := verifiers.Judge(dir)
	require.NoError(t, err)
	require.Equal(t, int64(base), report.LoadStart)
	require.Equal(t, base, lifeOf(t, dir, "604", "transactional").LoadStart)

	require.NoError(t, evidence.Write(dir, report))
	stalls, err := parquet.ReadFile[evidence.StallRow](filepath.Join(dir, evidence.Folder, "stalls.parquet"))
	require.NoError(t, err)
	require.NotEmpty(t, stalls)
	for i, s := range stalls {
		require.InDelta(t, history.Time(report.Stalls[i].Start).Sub(base).Seconds(), s.StartSeconds, 1e-9)
	}
	buckets, err := parquet.ReadFile[evidence.TimelineRow](filepath.Join(dir, evidence.Folder, "timeline.parquet"))
	require.NoError(t, err)
	require.NotEmpty(t, buckets)
	for _, b := range buckets {
		require.Less(t, b.Seconds, time.Minute.Seconds())
		require.Greater(t, b.Seconds, -time.Minute.Seconds())
	}
}
