package toxics

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

var addPartitionsKind = kit.Kind{
	Name:  "add-partitions",
	About: "adds partitions to topics, which rebalances their consumers; no heal removes them",
	Hits:  target.Partitions,
	Options: []options.Info{
		{Name: "by", About: "how many partitions to add to each topic, 1 to 100; default 1"},
	},
	Make: newAddPartitions,
}

type addPartitions struct{ by int }

var _ harness.Fault = addPartitions{}

func newAddPartitions(r *options.Reader) harness.Fault {
	return addPartitions{r.Number("by", 1, 1, 100)}
}

func (addPartitions) Needs() []string { return nil }

func (a addPartitions) String() string { return fmt.Sprintf("by %d", a.by) }

func (addPartitions) Check(_ harness.Scope, t target.Target) error {
	return t.WholeTopics("partitions are added to")
}

func (a addPartitions) Inject(ctx context.Context, f *harness.Field, selector string) (harness.Injection, error) {
	on, err := kit.FindPartitions(ctx, f, selector)
	if err != nil {
		return nil, err
	}
	topics := ask.Topics(on.Partitions)
	counts := map[string]int{}
	for _, topic := range topics {
		counts[topic] = len(on.View.Topics[topic])
	}
	on.Hit.Text = fmt.Sprintf("%d topics", len(topics))
	if err := a.grow(ctx, f, on.View, counts); err != nil {
		return on.Injection, err
	}
	for _, topic := range topics {
		on.Lasts(harness.Lasting{What: harness.PartitionsAdded, Topic: topic, From: int64(counts[topic]), To: int64(counts[topic] + a.by)})
	}
	if err := a.awaitThere(ctx, f, counts); err != nil {
		return on.Injection, err
	}
	on.Prove = func(context.Context) inject.Proof {
		return func(l harness.PipelineLayout) (string, bool) { return a.proof(on.View, topics, counts, l) }
	}
	on.Began(ctx, on.View, on.View.Nodes)
	return on.Injection, nil
}

// grow asks for the new partitions. Their replicas go round like those of the partitions that exist.
func (a addPartitions) grow(ctx context.Context, f *harness.Field, v target.View, counts map[string]int) error {
	req := kmsg.NewPtrCreatePartitionsRequest()
	req.TimeoutMillis = int32(admin.RequestTimeout.Milliseconds())
	for topic, count := range counts {
		t := kmsg.NewCreatePartitionsRequestTopic()
		t.Topic, t.Count = topic, int32(count+a.by)
		for n := range a.by {
			assignment := kmsg.NewCreatePartitionsRequestTopicAssignment()
			assignment.Replicas = v.Topics[topic][int32((count+n)%count)].Replicas
			t.Assignment = append(t.Assignment, assignment)
		}
		req.Topics = append(req.Topics, t)
	}
	resp, err := admin.Ask[*kmsg.CreatePartitionsResponse](ctx, f, req)
	if err != nil {
		return fmt.Errorf("add partitions: %w", err)
	}
	var errs []error
	for _, t := range resp.Topics {
		if err := ask.CodeError(t.ErrorCode, t.ErrorMessage); err != nil {
			errs = append(errs, fmt.Errorf("add partitions to %s: %w", t.Topic, err))
		}
	}
	return errors.Join(errs...)
}

// awaitThere waits until the brokers show the new partitions, each with a leader.
func (a addPartitions) awaitThere(ctx context.Context, f *harness.Field, counts map[string]int) error {
	ctx, cancel := context.WithTimeout(ctx, admin.ShownWithin)
	defer cancel()
	return admin.Until(ctx, func() error {
		for topic, count := range counts {
			md, _, err := f.Brokers().Newest(ctx, topic)
			if err != nil {
				return err
			}
			for p := range int32(count + a.by) {
				if s, ok := md.Topics[topic][p]; !ok || s.Leader < 0 {
					return fmt.Errorf("%s/%d is not there yet", topic, p)
				}
			}
		}
		return nil
	})
}

func (a addPartitions) proof(v target.View, topics []string, counts map[string]int, l harness.PipelineLayout) (string, bool) {
	var texts []string
	for _, topic := range topics {
		if v.Concerns(l, topic) {
			texts = append(texts, fmt.Sprintf("partitions of %s: %d -> %d", v.Generic(topic), counts[topic], counts[topic]+a.by))
		}
	}
	if len(texts) == 0 {
		return inject.NotTouched("no partition was added to a topic of it")
	}
	return strings.Join(texts, ", "), true
}
