package toxics

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// The moments at which a connection can be cut.
var cutMoments = []string{"before request", "after request", "before response", "after response"}

var connectionCutKind = Kind{
	Name:  "connection-cut",
	About: "closes the connection of chosen requests: before or after the request or its response",
	Hits:  Brokers | Workers,
	Options: wireOptions(
		options.Info{Name: "moment", About: strings.Join(cutMoments, ", ") + "; before request unless given"},
	),
	make: newConnectionCut,
}

// connectionCut breaks connections at a chosen moment of an exchange. After the request, the broker has all its bytes and
// may or may not answer; before the response, it surely has worked the request off.
type connectionCut struct {
	wireFault
	moment string
}

var _ harness.Fault = connectionCut{}

func newConnectionCut(r *options.Reader) harness.Fault {
	moment := r.OneOf("moment", cutMoments...)
	when, side, _ := strings.Cut(moment, " ")
	w := readWire(r, kafkatoxic.Cut, kafkatoxic.Side(side), 1)
	w.rule.After = when == "after"
	return connectionCut{w, moment}
}

func (c connectionCut) String() string { return c.moment + ", " + c.wireFault.String() }
