package toxics

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var responseHoldKind = kit.Kind{
	Name:  "response-hold",
	About: "keeps the broker's answers, and what is behind them on their connection, until the heal",
	Hits:  target.Brokers | target.Workers,
	Options: kit.WireOptions(
		options.Info{Name: "release-after", About: "how long to keep each, 1ms to 1h; default: until the heal"},
	),
	Make: newResponseHold,
}

// responseHold leaves a client in the dark about a request that the broker has carried out.
type responseHold struct{ kit.WireFault }

var _ harness.Fault = responseHold{}

func newResponseHold(r *options.Reader) harness.Fault {
	w := kit.ReadWire(r, kafkatoxic.Hold, kafkatoxic.OnResponse, 1)
	w.Rule.Millis = r.Duration("release-after", 0, time.Millisecond, time.Hour).Milliseconds()
	return responseHold{w}
}
