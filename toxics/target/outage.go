package target

// Outage is what a fault takes out of the controller quorum while it is active.
type Outage struct {
	// Nodes are those that the target names; All is every one.
	Nodes []int
	All   bool
	// Found is one more, which is known at run time only.
	Found bool
	// Controller means that this one is the active controller.
	Controller bool
}

// Outage is what goes out of the quorum if all nodes that the target selects go at once; nothing if it selects no brokers.
func (t Target) Outage() Outage {
	switch {
	case t.Class() != Brokers:
		return Outage{}
	case t.union == nil:
		return t.outage()
	case t.random(): // one, whichever it is
		return Outage{Found: true}
	case len(t.but) > 0 && t.union[0].AllBrokers(): // all but one, at the worst
		return Outage{All: true}
	}
	return outageOfUnion(t.union)
}

// AllBrokers reports whether the target is "all brokers".
func (t Target) AllBrokers() bool { return t.form.syntax == allBrokersSyntax }

// outageOfUnion adds up what each part takes. Two that are only known at run time may be two nodes.
func outageOfUnion(parts []Target) Outage {
	var sum Outage
	for _, part := range parts {
		o := part.outage()
		sum.All = sum.All || o.All || sum.Found && o.Found
		sum.Found, sum.Controller = sum.Found || o.Found, sum.Controller || o.Controller
		sum.Nodes = append(sum.Nodes, o.Nodes...)
	}
	return sum
}

// outage is what one form takes.
func (t Target) outage() Outage {
	switch t.form.syntax {
	case brokerNSyntax:
		return Outage{Nodes: []int{t.number("number")}}
	case allBrokersSyntax:
		return Outage{All: true}
	}
	return Outage{Found: true, Controller: t.form.syntax == controllerSyntax}
}
