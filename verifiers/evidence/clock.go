package evidence

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// clock turns the run's monotonic times into seconds from RunRecord.Zero, and into wall-clock times by the one stamp that the
// record keeps.
type clock struct {
	start, base history.Time
	started     time.Time
}

func clockOf(r *harness.RunRecord) clock { return clock{r.Zero(), r.Base, r.Started.UTC()} }

func (c clock) seconds(at history.Time) float64 { return at.Sub(c.start).Seconds() }

func (c clock) wall(at history.Time) time.Time { return c.started.Add(at.Sub(c.base)) }

// recorded is nil for 0, which stands for a moment that was not recorded.
func (c clock) recorded(at int64) *float64 {
	if at == 0 {
		return nil
	}
	return ptr(c.seconds(history.Time(at)))
}
