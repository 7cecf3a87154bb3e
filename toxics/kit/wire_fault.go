package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/target"
)

// WireFault is what faults on single requests have in common: which requests, on which links. The Kafka-aware toxics of those
// links do the rest.
type WireFault struct {
	LinkFault
	// name is the fault's registered name.
	name string
	// Rule is what happens to which requests. Topics and transactional ids are filled in at the injection.
	Rule kafkatoxic.Rule
	// topics and transactionalIDs are as users write them: names for a run's own.
	topics, transactionalIDs []string
}

func (w WireFault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", strings.Join(w.Rule.APIs, "+"), w.Rule.On)
	for _, filter := range []struct {
		name   string
		values []string
	}{{"client", w.Rule.Clients}, {"transactional id", w.transactionalIDs}, {"topic", w.topics}} {
		if len(filter.values) > 0 {
			fmt.Fprintf(&b, ", %s %s", filter.name, strings.Join(filter.values, "+"))
		}
	}
	switch {
	case w.Rule.Times == 0:
		b.WriteString(", every one")
	case w.Rule.Times > 1:
		fmt.Fprintf(&b, ", %d of them", w.Rule.Times)
	}
	if w.Rule.Skip > 0 {
		fmt.Fprintf(&b, " after the first %d", w.Rule.Skip)
	}
	return b.String() + ", " + w.LinkFault.String()
}

// Check returns an error for what the experiment doesn't have: a rule with a name that matches nothing would never take effect.
func (w WireFault) Check(s harness.Scope, t target.Target) error {
	if err := w.LinkFault.Check(s, t); err != nil {
		return err
	}
	for _, topic := range w.topics {
		if topic != target.Output && topic != target.Input && !target.Internal(topic) && !s.Has(topic) {
			return &options.Error{Option: "topic", Reason: fmt.Sprintf("%q is not %s, %s, a pipeline of the experiment, or internal", topic, target.Output, target.Input)}
		}
	}
	for _, id := range w.transactionalIDs {
		pipeline, _, _ := strings.Cut(id, "/")
		i := slices.IndexFunc(s.Pipelines, func(p harness.PipelineInfo) bool { return p.Name == pipeline })
		if i < 0 || !s.Pipelines[i].Transactional {
			return &options.Error{Option: "transactional-id", Reason: fmt.Sprintf("%q is not a transactional pipeline of the experiment, or PIPELINE/WORKER", id)}
		}
	}
	return nil
}

// Inject arms the rule on every link of the target that carries requests in the fault's direction.
func (w WireFault) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, err := target.FindOnLinks(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	streams := requestStreams(target.Between(f.Cluster.Links(), w.Kinds, t.Side(), target.Everyone, w.Direction))
	if len(streams) == 0 {
		return nil, target.NoLinks(w.LinkFault.String(), t)
	}
	rule, err := w.resolve(ctx, f, t)
	if err != nil {
		return nil, err
	}
	i := inject.New(f, harness.Resolved{
		Text: t.Text, Brokers: t.Brokers, Members: t.Members, Links: target.ProxiesOf(streams), Partitions: t.Affected,
	})
	links := armingOf(f, rule, streams)
	if err := links.arm(ctx, &i.Undo); err != nil {
		i.Prove = func(ctx context.Context) inject.Proof { // toxics that were armed remember the rule
			links.count(ctx)
			return inject.NotApplied
		}
		return i, err
	}
	members := f.Fleet.Members()
	i.Prove = func(ctx context.Context) inject.Proof {
		links.count(ctx)
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := links.proof(func(s target.Stream) bool { return t.Matters(s, l, members) })
			return proof + i.Moves(l.Name), hit
		}
	}
	i.Began(ctx, t.View, f.Cluster.Info().Nodes)
	return i, nil
}

// requestStreams are the streams in which requests flow: from the end that dials.
func requestStreams(streams []target.Stream) []target.Stream {
	return slices.DeleteFunc(streams, func(s target.Stream) bool { return !s.Up })
}

// resolve fills in what the names in the filters mean now.
func (w WireFault) resolve(ctx context.Context, f *harness.Field, t target.Found) (kafkatoxic.Rule, error) {
	rule := w.Rule
	rule.ID = inject.NewName(f, w.name)
	for _, id := range w.transactionalIDs {
		ids, err := transactionalIDs(f.Plan, id)
		if err != nil {
			return rule, err
		}
		rule.TransactionalIDs = append(rule.TransactionalIDs, ids...)
	}
	for _, topic := range w.topics {
		rule.Topics = append(rule.Topics, t.View.Names(topic)...)
	}
	if len(rule.Topics) == 0 {
		return rule, nil
	}
	var err error
	rule.TopicIDs, err = admin.TopicIDs(ctx, f, rule.Topics)
	return rule, err
}

// transactionalIDs returns the ids of a pipeline, or of one of its workers ("transactional/0"). Anything else is an id itself.
func transactionalIDs(plan harness.TopicPlan, name string) ([]string, error) {
	pipeline, worker, one := strings.Cut(name, "/")
	l, err := plan.Pipeline(pipeline)
	if err != nil {
		return []string{name}, nil
	}
	if !one {
		return l.TransactionalIDs, nil
	}
	for n, id := range l.TransactionalIDs {
		if worker == fmt.Sprint(n) {
			return []string{id}, nil
		}
	}
	return nil, fmt.Errorf("transactional-id: pipeline %s has no worker %q", pipeline, worker)
}
