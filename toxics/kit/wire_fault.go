package toxics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// wireFault is what faults on single requests have in common: which requests, on which links. The Kafka-aware toxics of
// those links do the rest.
type wireFault struct {
	linkFault
	// name is the fault's registered name.
	name string
	// rule says what happens to which requests; topics and transactional ids are filled in at the injection.
	rule kafkatoxic.Rule
	// topics and transactionalIDs are as users write them: names that stand for a run's own.
	topics, transactionalIDs []string
}

func (w wireFault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", strings.Join(w.rule.APIs, "+"), w.rule.On)
	for _, filter := range []struct {
		name   string
		values []string
	}{{"client", w.rule.Clients}, {"transactional id", w.transactionalIDs}, {"topic", w.topics}} {
		if len(filter.values) > 0 {
			fmt.Fprintf(&b, ", %s %s", filter.name, strings.Join(filter.values, "+"))
		}
	}
	switch {
	case w.rule.Times == 0:
		b.WriteString(", every one")
	case w.rule.Times > 1:
		fmt.Fprintf(&b, ", %d of them", w.rule.Times)
	}
	if w.rule.Skip > 0 {
		fmt.Fprintf(&b, " after the first %d", w.rule.Skip)
	}
	return b.String() + ", " + w.linkFault.String()
}

// check refuses what the experiment doesn't have. A name that matches nothing would make a fault that never bites.
func (w wireFault) check(s harness.Scope, t Target) error {
	if err := w.linkFault.check(s, t); err != nil {
		return err
	}
	for _, topic := range w.topics {
		if topic != outputs && topic != input && !isInternal(topic) && !s.Has(topic) {
			return &options.Error{Option: "topic", Reason: fmt.Sprintf("%q is not %s, %s, a pipeline of the experiment, or internal", topic, outputs, input)}
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
func (w wireFault) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	t, err := findOnLinks(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	streams := requestStreams(between(f.Cluster.Links(), w.kinds, t.side(), everyone, w.direction))
	if len(streams) == 0 {
		return nil, noLinks(w.linkFault.String(), t)
	}
	rule, err := w.resolve(ctx, f, t)
	if err != nil {
		return nil, err
	}
	i := newInjection(f, harness.Resolved{
		Text: t.text, Brokers: t.brokers, Members: t.members, Links: proxiesOf(streams), Partitions: t.affected,
	})
	links := armingOf(f, rule, streams)
	if err := links.arm(ctx, &i.undo); err != nil {
		i.gather = func(ctx context.Context) evidence { // where it was armed, the toxics remember it
			links.count(ctx)
			return notApplied
		}
		return i, err
	}
	members := f.Fleet.Members()
	i.gather = func(ctx context.Context) evidence {
		links.count(ctx)
		return func(l harness.PipelineLayout) (string, bool) {
			proof, hit := links.proof(func(s stream) bool { return t.matters(s, l, members) })
			return proof + i.moves(l.Name), hit
		}
	}
	i.began(ctx, t.view, f.Cluster.Info().Nodes)
	return i, nil
}

// requestStreams are those of the streams in which requests flow: from the side that dials.
func requestStreams(streams []stream) []stream {
	return slices.DeleteFunc(streams, func(s stream) bool { return !s.up })
}

// resolve fills in what the names in the filters stand for now.
func (w wireFault) resolve(ctx context.Context, f *harness.Field, t found) (kafkatoxic.Rule, error) {
	rule := w.rule
	rule.ID = newToxicName(f, w.name)
	for _, id := range w.transactionalIDs {
		ids, err := transactionalIDs(f.Plan, id)
		if err != nil {
			return rule, err
		}
		rule.TransactionalIDs = append(rule.TransactionalIDs, ids...)
	}
	for _, topic := range w.topics {
		rule.Topics = append(rule.Topics, t.view.names(topic)...)
	}
	if len(rule.Topics) == 0 {
		return rule, nil
	}
	var err error
	rule.TopicIDs, err = topicIDs(ctx, f, rule.Topics)
	return rule, err
}

// transactionalIDs are those of a pipeline, or of one of its workers ("transactional/0"); anything else is an id itself.
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
