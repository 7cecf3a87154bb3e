package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

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

func newRequestDelay(r *options.Reader) harness.Fault {
	return requestDelay{readDelay(r, kafkatoxic.OnRequest)}
}

func (d requestDelay) String() string { return delayText(d.wireFault) }
