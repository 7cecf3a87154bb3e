package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// Found is a target of a fault on links.
type Found struct {
	View    View
	Brokers []int
	Members []string
	// Affected are the partitions led by the brokers or held by the workers.
	Affected []int32
	Text     string
}

func (t Found) Side() Side {
	if len(t.Members) > 0 {
		return clientsIn(t.Members)
	}
	return nodesIn(t.Brokers)
}

// Matters says whether what flows in a stream concerns a pipeline: its own members' links; replication from a leader of
// its partitions; the quorum links of a broker that leads some, or of a controller that is no broker.
func (t Found) Matters(s Stream, l harness.PipelineLayout, members []harness.Member) bool {
	switch s.Link.Kind {
	case harness.ClientLink: // where no run plays, nobody knows whose a client's link is
		return len(members) == 0 || slices.ContainsFunc(members, func(m harness.Member) bool {
			return m.Name == s.Link.From && m.Pipeline == l.Name
		})
	case harness.ServiceLink:
		return l.Effects
	case harness.ReplicationLink:
		return len(t.View.LedBy([]int{s.Link.To}, t.View.topicsRead(l)...)) > 0
	case harness.QuorumLink:
		ends := []int{s.Link.To, dialler(s.Link).node}
		hit := slices.DeleteFunc(ends, func(n int) bool { return !slices.Contains(t.Brokers, n) })
		return len(t.View.LedBy(hit, t.View.topicsRead(l)...)) > 0 || len(Without(hit, t.View.Nodes)) > 0
	}
	return false
}

// FindOnLinks resolves a target that may select brokers or workers.
func FindOnLinks(ctx context.Context, f *harness.Field, selector string) (Found, error) {
	t, err := Parse(selector)
	if err != nil {
		return Found{}, err
	}
	out := Found{}
	if out.View, err = Look(ctx, f); err != nil {
		return Found{}, err
	}
	if t.Class() == Workers {
		if out.Members, err = t.findWorkers(ctx, f, Living); err != nil {
			return Found{}, err
		}
		out.Affected, out.Text = OwnedBy(f, out.Members), strings.Join(out.Members, ", ")
		return out, nil
	}
	if out.Brokers, err = t.FindBrokers(out.View); err != nil {
		return Found{}, err
	}
	out.Affected = out.View.LedBy(out.Brokers, TopicsOf(f.Plan)...)
	out.Text = out.View.Describe(out.Brokers)
	return out, nil
}

func NoLinks(what string, t Found) error {
	return fmt.Errorf("%s of %s: the cluster has no such link", what, t.Text)
}
