package toxics

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

var responseHoldKind = Kind{
	Name:  "response-hold",
	About: "keeps the broker's answers, and what is behind them on their connection, until the heal",
	Hits:  Brokers | Workers,
	Options: wireOptions(
		options.Info{Name: "release-after", About: "let each go after this long, 1ms to 1h; at the heal unless given"},
	),
	make: newResponseHold,
}

// responseHold leaves a client in the dark about a request that the broker has worked off.
type responseHold struct{ wireFault }

var _ harness.Fault = responseHold{}

func newResponseHold(r *options.Reader) harness.Fault {
	w := readWire(r, kafkatoxic.Hold, kafkatoxic.OnResponse, 1)
	w.rule.Millis = r.Duration("release-after", 0, time.Millisecond, time.Hour).Milliseconds()
	return responseHold{w}
}
