package catalogue

import (
	"slices"
	"time"

	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/target"
)

// checkQuorum refuses schedules in which a majority of the controllers may be gone at one time: then there are no
// elections, and a run shows the loss of the quorum, not what its faults are named after.
func (d *decoder) checkQuorum(doc *document) {
	voters := len(doc.exp.Cluster.Topology.Voters())
	for i, e := range doc.faults {
		begins := doc.begins(i)
		if lost := doc.lostAt(begins, i); lost > (voters-1)/2 && d.err == nil {
			d.fail(e.start, "%d of %d nodes may be out of the controller quorum at %s, when this fault begins: "+
				"no leader can be elected then (allow-quorum-loss: true if that is meant)", lost, voters, begins)
		}
	}
}

// begins is the earliest time at which a line's first fault can be injected.
func (doc *document) begins(i int) time.Duration {
	e := doc.faults[i]
	earliest := e.at.low
	if e.when != nil {
		if before := doc.follows(e); before >= 0 {
			earliest = max(earliest, doc.begins(before))
			if e.when.kind == "healed" {
				earliest = max(earliest, doc.faults[before].repeat.earliest(doc.begins(before))+doc.faults[before].lasts.low)
			}
		}
		earliest += e.when.delay.low
	}
	return earliest
}

// healedBefore reports whether line i's faults are all healed before line j begins, by j's triggers.
func (doc *document) healedBefore(i, j int) bool {
	before := doc.follows(doc.faults[j])
	switch {
	case before < 0:
		return false
	case before == i && doc.faults[j].when.kind == "healed":
		return true
	default:
		return doc.healedBefore(i, before)
	}
}

// lostAt counts the nodes that may be out of the quorum at a time, when line by begins. Targets found at run time count one
// each: two of them may be two nodes, even if they read the same.
func (doc *document) lostAt(t time.Duration, by int) int {
	named, found, voters := map[int]bool{}, 0, len(doc.exp.Cluster.Topology.Voters())
	for i, e := range doc.faults {
		if t < doc.begins(i) || t >= e.ends() || doc.healedBefore(i, by) {
			continue
		}
		out := e.outage(doc.exp.Cluster.Topology.Controllers > 0)
		for _, n := range out.Nodes {
			named[n] = true
		}
		if out.Found {
			found += e.atOnce()
		}
		if out.All {
			return voters
		}
	}
	return min(len(named)+found, voters)
}

// outage is the most that a fault may take out of the quorum. A choice of targets is one node, not known before. If
// controllers are nodes of their own, only a fault on the controller takes one of them.
func (e entry) outage(separate bool) target.Outage {
	var worst target.Outage
	for _, d := range []drawer{lowest{}, highest{}} {
		options := map[string]any{}
		for name, s := range e.options {
			options[name] = s.draw(d, name)
		}
		fault, err := toxics.New(e.name, options)
		if err != nil {
			continue // checked before
		}
		for _, variant := range e.target.variants() {
			text, _ := variant.(string) // checked before
			out := toxics.OutageOf(fault, text)
			if separate {
				out = target.Outage{Found: out.Controller}
			}
			worst.All = worst.All || out.All
			worst.Found = worst.Found || out.Found
			worst.Nodes = append(worst.Nodes, out.Nodes...)
		}
	}
	slices.Sort(worst.Nodes)
	if worst.Nodes = slices.Compact(worst.Nodes); worst.Found || len(worst.Nodes) > 1 {
		worst.Nodes, worst.Found = nil, true
	}
	return worst
}
