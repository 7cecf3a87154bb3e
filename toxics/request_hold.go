package toxics

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var requestHoldKind = kit.Kind{
	Name:  "request-hold",
	About: "keeps requests, and what is behind them on their connection, until the heal; they arrive even if their client is gone",
	Hits:  target.Brokers | target.Workers,
	Options: kit.WireOptions(
		options.Info{Name: "release-after", About: "how long to keep each, 1ms to 1h; default: until the heal"},
	),
	Make: newRequestHold,
}

// requestHold makes requests late: the client gives up, its retry passes on another connection, and the broker gets the first
// request afterwards.
type requestHold struct{ kit.WireFault }

var _ harness.Fault = requestHold{}

func newRequestHold(r *options.Reader) harness.Fault {
	w := kit.ReadWire(r, kafkatoxic.Hold, kafkatoxic.OnRequest, 1)
	w.Rule.Millis = r.Duration("release-after", 0, time.Millisecond, time.Hour).Milliseconds()
	return requestHold{w}
}
