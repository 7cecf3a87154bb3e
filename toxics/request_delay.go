package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var requestDelayKind = kit.Kind{
	Name:    "request-delay",
	About:   "delays chosen requests, and what is behind them on their connection",
	Hits:    target.Brokers | target.Workers,
	Options: kit.WireOptions(kit.DelayOption),
	Make:    newRequestDelay,
}

// requestDelay makes brokers get chosen requests late.
type requestDelay struct{ kit.WireFault }

var _ harness.Fault = requestDelay{}

func newRequestDelay(r *options.Reader) harness.Fault {
	return requestDelay{kit.ReadDelay(r, kafkatoxic.OnRequest)}
}

func (d requestDelay) String() string { return kit.DelayText(d.WireFault) }
