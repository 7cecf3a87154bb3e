package kit

import (
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// DelayOption is the option of faults that delay requests or answers.
var DelayOption = options.Info{Name: "delay", About: "how long each waits from its arrival at the proxy, 1ms to 1h; default 1s"}

// ReadDelay reads the options of a fault that delays every match on one side of the exchange.
func ReadDelay(r *options.Reader, on kafkatoxic.Side) WireFault {
	w := ReadWire(r, kafkatoxic.Delay, on, 0)
	w.Rule.Millis = r.Duration(DelayOption.Name, time.Second, time.Millisecond, time.Hour).Milliseconds()
	return w
}

// DelayText describes such a fault for people.
func DelayText(w WireFault) string {
	return fmt.Sprintf("%s, %s", time.Duration(w.Rule.Millis)*time.Millisecond, w)
}
