package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// found is a target of a fault on links.
type found struct {
	view    view
	brokers []int
	members []string
	// affected are the partitions led by the brokers or held by the workers.
	affected []int32
	text     string
}

func (t found) side() side {
	if len(t.members) > 0 {
		return clientsIn(t.members)
	}
	return nodesIn(t.brokers)
}

// matters says whether what flows in a stream concerns a pipeline: its own members' links; replication from a leader of
// its partitions; the quorum links of a broker that leads some, or of a controller that is no broker.
func (t found) matters(s stream, l harness.PipelineLayout, members []harness.Member) bool {
	switch s.link.Kind {
	case harness.ClientLink: // where no run plays, nobody knows whose a client's link is
		return len(members) == 0 || slices.ContainsFunc(members, func(m harness.Member) bool {
			return m.Name == s.link.From && m.Pipeline == l.Name
		})
	case harness.ServiceLink:
		return l.Effects
	case harness.ReplicationLink:
		return len(t.view.ledBy([]int{s.link.To}, t.view.topicsRead(l)...)) > 0
	case harness.QuorumLink:
		ends := []int{s.link.To, dialler(s.link).node}
		hit := slices.DeleteFunc(ends, func(n int) bool { return !slices.Contains(t.brokers, n) })
		return len(t.view.ledBy(hit, t.view.topicsRead(l)...)) > 0 || len(without(hit, t.view.nodes)) > 0
	}
	return false
}

// findOnLinks resolves a target that may select brokers or workers.
func findOnLinks(ctx context.Context, f *harness.Field, selector string) (found, error) {
	t, err := ParseTarget(selector)
	if err != nil {
		return found{}, err
	}
	out := found{}
	if out.view, err = look(ctx, f); err != nil {
		return found{}, err
	}
	if t.Class() == Workers {
		if out.members, err = t.findWorkers(ctx, f, living); err != nil {
			return found{}, err
		}
		out.affected, out.text = heldBy(f, out.members), strings.Join(out.members, ", ")
		return out, nil
	}
	if out.brokers, err = t.findBrokers(out.view); err != nil {
		return found{}, err
	}
	out.affected = out.view.ledBy(out.brokers, topicsOf(f.Plan)...)
	out.text = out.view.describeAll(out.brokers)
	return out, nil
}

func noLinks(what string, t found) error {
	return fmt.Errorf("%s of %s: the cluster has no such link", what, t.text)
}
