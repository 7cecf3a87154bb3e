package target

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// Found is what the target of a fault on links turned out to be.
type Found struct {
	View    View
	Brokers []int
	Members []string
	// Affected are the partitions that the brokers lead or the workers own.
	Affected []int32
	// Text describes it for people.
	Text string
}

// Side is the side of the ends that the target selects.
func (t Found) Side() Side {
	if len(t.Members) > 0 {
		return clientsIn(t.Members)
	}
	return nodesIn(t.Brokers)
}

// Matters reports whether what flows in a stream concerns a pipeline: on its own members' links; as replication from a leader
// of its partitions; on the quorum links of a broker that leads any, or of a controller that is no broker.
func (t Found) Matters(s Stream, l harness.PipelineLayout, members []harness.Member) bool {
	switch s.Link.Kind {
	case harness.ClientLink: // without a run, a client's link may be anybody's
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

// NoLinks is the error of a fault whose target has no such links.
func NoLinks(what string, t Found) error {
	return fmt.Errorf("%s of %s: the cluster has no such link", what, t.Text)
}
