package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var requestDropKind = kit.Kind{
	Name:    "request-drop",
	About:   "swallows requests and all that follows on their connection, which stays open and silent until the client gives up",
	Hits:    target.Brokers | target.Workers,
	Options: kit.WireOptions(),
	Make:    newRequestDrop,
}

// requestDrop loses requests on the way: the broker never gets them, and the client learns nothing until its own timeout.
type requestDrop struct{ kit.WireFault }

var _ harness.Fault = requestDrop{}

func newRequestDrop(r *options.Reader) harness.Fault {
	return requestDrop{kit.ReadWire(r, kafkatoxic.Drop, kafkatoxic.OnRequest, 1)}
}
