package toxics

import (
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

var delayOption = options.Info{Name: "delay", About: "how long each waits from its arrival at the proxy, 1ms to 1h; 1s unless given"}

func readDelay(r *options.Reader, on kafkatoxic.Side) wireFault {
	w := readWire(r, kafkatoxic.Delay, on, 0)
	w.rule.Millis = r.Duration(delayOption.Name, time.Second, time.Millisecond, time.Hour).Milliseconds()
	return w
}

func delayText(w wireFault) string {
	return fmt.Sprintf("%s, %s", time.Duration(w.rule.Millis)*time.Millisecond, w)
}
