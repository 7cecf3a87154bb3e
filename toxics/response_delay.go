package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var responseDelayKind = kit.Kind{
	Name:    "response-delay",
	About:   "delays the broker's answers to chosen requests, and what is behind them on their connection",
	Hits:    target.Brokers | target.Workers,
	Options: kit.WireOptions(kit.DelayOption),
	Make:    newResponseDelay,
}

// responseDelay makes clients get chosen answers late.
type responseDelay struct{ kit.WireFault }

var _ harness.Fault = responseDelay{}

func newResponseDelay(r *options.Reader) harness.Fault {
	return responseDelay{kit.ReadDelay(r, kafkatoxic.OnResponse)}
}

func (d responseDelay) String() string { return kit.DelayText(d.WireFault) }
