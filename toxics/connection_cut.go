package toxics

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

// The moments at which a connection can be cut.
var cutMoments = []string{"before request", "after request", "before response", "after response"}

var connectionCutKind = kit.Kind{
	Name:  "connection-cut",
	About: "closes the connection of chosen requests, before or after the request or its response",
	Hits:  target.Brokers | target.Workers,
	Options: kit.WireOptions(
		options.Info{Name: "moment", About: strings.Join(cutMoments, ", ") + "; default before request"},
	),
	Make: newConnectionCut,
}

// connectionCut breaks connections at a chosen moment of an exchange. After the request, the broker has all its bytes and may
// or may not answer; before the response, it has surely done what was asked.
type connectionCut struct {
	kit.WireFault
	moment string
}

var _ harness.Fault = connectionCut{}

func newConnectionCut(r *options.Reader) harness.Fault {
	moment := r.OneOf("moment", cutMoments...)
	when, side, _ := strings.Cut(moment, " ")
	w := kit.ReadWire(r, kafkatoxic.Cut, kafkatoxic.Side(side), 1)
	w.Rule.After = when == "after"
	return connectionCut{w, moment}
}

func (c connectionCut) String() string { return c.moment + ", " + c.WireFault.String() }
