package toxics

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var responseDropKind = kit.Kind{
	Name:  "response-drop",
	About: "lets requests through and loses the broker's answers",
	Hits:  target.Brokers | target.Workers,
	Options: kit.WireOptions(
		options.Info{Name: "then", About: "close (the connection, at once) or silence (until the client gives up); default close"},
	),
	Make: newResponseDrop,
}

// responseDrop loses answers: the broker has done what it was asked to, and the client doesn't know.
type responseDrop struct{ kit.WireFault }

var _ harness.Fault = responseDrop{}

func newResponseDrop(r *options.Reader) harness.Fault {
	op := kafkatoxic.Cut // closes instead of passing the answer on
	if r.OneOf("then", "close", "silence") == "silence" {
		op = kafkatoxic.Drop
	}
	return responseDrop{kit.ReadWire(r, op, kafkatoxic.OnResponse, 1)}
}
