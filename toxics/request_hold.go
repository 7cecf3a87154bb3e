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
	About: "keeps requests, and what is behind them on their connection, until the heal; they arrive also when their client is gone",
	Hits:  target.Brokers | target.Workers,
	Options: kit.WireOptions(
		options.Info{Name: "release-after", About: "let each go after this long, 1ms to 1h; at the heal unless given"},
	),
	Make: newRequestHold,
}

// requestHold makes late requests: the client gives up, its retry passes on another connection, and the broker gets the
// first one afterwards.
type requestHold struct{ kit.WireFault }

var _ harness.Fault = requestHold{}

func newRequestHold(r *options.Reader) harness.Fault {
	w := kit.ReadWire(r, kafkatoxic.Hold, kafkatoxic.OnRequest, 1)
	w.Rule.Millis = r.Duration("release-after", 0, time.Millisecond, time.Hour).Milliseconds()
	return requestHold{w}
}
