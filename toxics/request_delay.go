package toxics

import (
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

var delayOption = OptionInfo{"delay", "how long each waits from its arrival at the proxy, 1ms to 1h; 1s unless given"}

var requestDelayKind = Kind{
	Name:    "request-delay",
	About:   "delays chosen requests, and what is behind them on their connection",
	Hits:    Brokers | Workers,
	Options: wireOptions(delayOption),
	make:    newRequestDelay,
}

// requestDelay makes brokers get chosen requests late.
type requestDelay struct{ wireFault }

var _ harness.Fault = requestDelay{}

func newRequestDelay(r *reader) harness.Fault {
	return requestDelay{readDelay(r, kafkatoxic.OnRequest)}
}

func readDelay(r *reader, on kafkatoxic.Side) wireFault {
	w := readWire(r, kafkatoxic.Delay, on, 0)
	w.rule.Millis = r.millis(delayOption.Name, time.Second, time.Millisecond, time.Hour)
	return w
}

func (d requestDelay) String() string { return delayText(d.wireFault) }

func delayText(w wireFault) string {
	return fmt.Sprintf("%s, %s", time.Duration(w.rule.Millis)*time.Millisecond, w)
}
