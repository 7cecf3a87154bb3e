package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

var responseDelayKind = Kind{
	Name:    "response-delay",
	About:   "delays the broker's answers to chosen requests, and what is behind them on their connection",
	Hits:    Brokers | Workers,
	Options: wireOptions(delayOption),
	make:    newResponseDelay,
}

// responseDelay makes clients get chosen answers late.
type responseDelay struct{ wireFault }

var _ harness.Fault = responseDelay{}

func newResponseDelay(r *options.Reader) harness.Fault {
	return responseDelay{readDelay(r, kafkatoxic.OnResponse)}
}

func (d responseDelay) String() string { return delayText(d.wireFault) }
