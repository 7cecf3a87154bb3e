package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
)

var addPartitionsKind = Kind{
	Name:  "add-partitions",
	About: "gives topics more partitions, which rebalances whoever reads them; no heal takes them away",
	Hits:  Partitions,
	Options: []options.Info{
		{Name: "by", About: "how many partitions more each topic gets, 1 to 100; 1 unless given"},
	},
	make: newAddPartitions,
}

type addPartitions struct{ by int }

var _ harness.Fault = addPartitions{}

func newAddPartitions(r *options.Reader) harness.Fault {
	return addPartitions{r.Number("by", 1, 1, 100)}
}

func (addPartitions) Needs() []string { return nil }

func (a addPartitions) String() string { return fmt.Sprintf("by %d", a.by) }

func (addPartitions) check(_ harness.Scope, t Target) error {
	return t.wholeTopics("partitions are added to")
}

func (a addPartitions) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := findPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	topics := topicsIn(on.places)
	counts := map[string]int{}
	for _, topic := range topics {
		counts[topic] = len(on.view.topics[topic])
	}
	on.i.resolved.Text = fmt.Sprintf("%d topics", len(topics))
	if err := a.grow(ctx, f, on.view, counts); err != nil {
		return on.i, err
	}
	for _, topic := range topics {
		on.i.lasts(harness.Lasting{What: harness.PartitionsAdded, Topic: topic, From: int64(counts[topic]), To: int64(counts[topic] + a.by)})
	}
	if err := a.awaitThere(ctx, f, counts); err != nil {
		return on.i, err
	}
	on.i.gather = func(context.Context) evidence {
		return func(l harness.PipelineLayout) (string, bool) { return a.proof(on.view, topics, counts, l) }
	}
	on.i.began(ctx, on.view, on.view.nodes)
	return on.i, nil
}

// grow asks for the new partitions. Their replicas go round as those of the partitions that are there.
func (a addPartitions) grow(ctx context.Context, f *harness.Field, v view, counts map[string]int) error {
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = int32(adminTimeout.Milliseconds())
	for topic, count := range counts {
		t := kmsg.NewCreatePartitionsRequestTopic()
		t.Topic, t.Count = topic, int32(count+a.by)
		for n := range a.by {
			assignment := kmsg.NewCreatePartitionsRequestTopicAssignment()
			assignment.Replicas = v.topics[topic][int32((count+n)%count)].Replicas
			t.Assignment = append(t.Assignment, assignment)
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := askAdmin[*kmsg.CreatePartitionsResponse](ctx, f, req)
	if err != nil {
		return fmt.Errorf("add partitions: %w", err)
	}
	var errs []error
	for _, t := range resp.Topics {
		if err := codeError(t.ErrorCode, t.ErrorMessage); err != nil {
			errs = append(errs, fmt.Errorf("add partitions to %s: %w", t.Topic, err))
		}
	}
	return errors.Join(errs...)
}

// awaitThere waits until every broker that answers shows the new partitions, each with a leader.
func (a addPartitions) awaitThere(ctx context.Context, f *harness.Field, counts map[string]int) error {
	ctx, cancel := context.WithTimeout(ctx, moveWithin)
	defer cancel()
	var missing error
	err := wait.Poll(ctx, adminEvery, func() (bool, error) {
		missing = nil
		for topic, count := range counts {
			topics, _, err := newestTopics(ctx, f.Admin, f.Cluster.Info().Nodes, topic)
			if missing = err; err != nil {
				return false, nil
			}
			for p := range int32(count + a.by) {
				if s, ok := topics[topic][p]; !ok || s.Leader < 0 {
					missing = fmt.Errorf("%s/%d is not there yet", topic, p)
				}
			}
		}
		return missing == nil, nil
	})
	if err != nil {
		return errors.Join(missing, err)
	}
	return nil
}

func (a addPartitions) proof(v view, topics []string, counts map[string]int, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, topic := range topics {
		if v.concerns(l, topic) {
			texts = append(texts, fmt.Sprintf("partitions of %s: %d -> %d", v.generic(topic), counts[topic], counts[topic]+a.by))
		}
	}
	if len(texts) == 0 {
		return notTouched("no topic of it was given partitions")
	}
	return strings.Join(texts, ", "), true
}
