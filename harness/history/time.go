package history

import (
	"time"

	"golang.org/x/sys/unix"
)

// Time is a CLOCK_MONOTONIC reading in nanoseconds. All processes of one machine share the clock; it means nothing on
// another machine or after a reboot.
type Time int64

// Now reads CLOCK_MONOTONIC.
func Now() Time {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic("CLOCK_MONOTONIC can't be read: " + err.Error()) // POSIX systems without it can't run chaeos at all
	}
	return Time(ts.Nano())
}

// Sub is the duration from u to t.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// Add is the time d after t.
func (t Time) Add(d time.Duration) Time { return t + Time(d) }
