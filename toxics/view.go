package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// The names that stand for a run's topics: every pipeline's output, and the shared input.
const (
	outputs = "output"
	input   = "input"
)

// The internal topics that pipelines depend on.
const (
	offsetsTopic      = "__consumer_offsets"
	shareStateTopic   = "__share_group_state"
	transactionsTopic = "__transaction_state"
)

// coordinator types of FindCoordinator.
const (
	groupKey       = int8(0)
	transactionKey = int8(1)
)

// view is who does what in the cluster at one moment.
type view struct {
	plan  harness.TopicPlan
	nodes []int
	// topics are the newest states that any broker knows, by topic and partition.
	topics map[string]map[int32]harness.PartitionState
	// controller is 0 where it could not be learnt.
	controller    int
	controllerErr error
	// groups and transactions are the coordinators of each pipeline's group and transactional ids; coordinatorErr says
	// why some are missing.
	groups, transactions map[string]int
	coordinatorErr       error
	// draw chooses among what a random target selects.
	draw uint64
}

// look asks the brokers who does what. Brokers that don't answer in time are left out: they may be what a fault hit.
func look(ctx context.Context, f *harness.Field) (view, error) {
	v := view{plan: f.Plan, nodes: f.Cluster.Info().Nodes, groups: map[string]int{}, transactions: map[string]int{}, draw: drawOf(f)}
	topics, answered, err := newestTopics(ctx, f.Admin, v.nodes, append(topicsOf(f.Plan), offsetsTopic, transactionsTopic)...)
	if errors.Is(err, errUnknownTopics) && len(answered) > 0 && len(topicsOf(f.Plan)) == 0 {
		err = nil // a cluster that was just brought up has no topic, not even the internal ones
	}
	if err != nil {
		return view{}, fmt.Errorf("who leads what: %w", err)
	}
	v.topics = topics
	v.controller, v.controllerErr = harness.Controller(ctx, f.Admin, answered)
	for _, l := range f.Plan.Pipelines {
		if l.Group != "" {
			v.coordinate(ctx, f.Admin, answered, v.groups, l.Name, groupKey, l.Group)
		}
		if len(l.TransactionalIDs) > 0 {
			v.coordinate(ctx, f.Admin, answered, v.transactions, l.Name, transactionKey, l.TransactionalIDs[0])
		}
	}
	return v, nil
}

// coordinate asks for one coordinator. Not to know it matters only to targets that ask for it.
func (v *view) coordinate(ctx context.Context, client *kgo.Client, nodes []int, into map[string]int, pipeline string, kind int8, key string) {
	node, err := coordinator(ctx, client, nodes, kind, key)
	if err != nil {
		v.coordinatorErr = errors.Join(v.coordinatorErr, err)
		return
	}
	into[pipeline] = node
}

// topicsOf lists the topics a run's faults care for: input and outputs.
func topicsOf(plan harness.TopicPlan) []string {
	names := append([]string{plan.Input}, plan.Outputs()...)
	return slices.DeleteFunc(names, func(n string) bool { return n == "" })
}

// newestTopics asks every node at once, and believes the answer with the highest leader epoch: a broker that was cut off
// answers with what it knew. It also returns the nodes that answered.
func newestTopics(ctx context.Context, client *kgo.Client, nodes []int, topics ...string) (map[string]map[int32]harness.PartitionState, []int, error) {
	answers, failures := make([]harness.Metadata, len(nodes)), make([]error, len(nodes))
	var asking sync.WaitGroup
	for i, node := range nodes {
		asking.Go(func() { answers[i], failures[i] = harness.AskMetadata(ctx, client, []int{node}, topics...) })
	}
	asking.Wait()
	newest := map[string]map[int32]harness.PartitionState{}
	var answered []int
	for i, md := range answers {
		if failures[i] == nil {
			answered = append(answered, nodes[i])
		}
		for topic, partitions := range md.Topics {
			if newest[topic] == nil {
				newest[topic] = map[int32]harness.PartitionState{}
			}
			for p, state := range partitions {
				if old, known := newest[topic][p]; !known || state.LeaderEpoch > old.LeaderEpoch {
					newest[topic][p] = state
				}
			}
		}
	}
	if len(newest) == 0 && (len(topics) > 0 || len(answered) == 0) {
		return nil, answered, errors.Join(append(failures, errUnknownTopics)...)
	}
	return newest, answered, nil
}

var errUnknownTopics = errors.New("no broker knows the topics")

// coordinator asks the nodes in turn for the coordinator of a group or transactional id.
func coordinator(ctx context.Context, client *kgo.Client, nodes []int, kind int8, key string) (int, error) {
	req := kmsg.NewPtrFindCoordinatorRequest()
	req.CoordinatorType, req.CoordinatorKey, req.CoordinatorKeys = kind, key, []string{key}
	kresp, err := harness.AskBrokers(ctx, client, nodes, req)
	if err != nil {
		return 0, err
	}
	resp, ok := kresp.(*kmsg.FindCoordinatorResponse)
	if !ok {
		return 0, fmt.Errorf("coordinator of %s: unexpected answer %T", key, kresp)
	}
	code, node := resp.ErrorCode, resp.NodeID
	if len(resp.Coordinators) > 0 {
		code, node = resp.Coordinators[0].ErrorCode, resp.Coordinators[0].NodeID
	}
	if err := kerr.ErrorForCode(code); err != nil {
		return 0, fmt.Errorf("coordinator of %s: %w", key, err)
	}
	return int(node), nil
}

// names returns the topics that a selector's topic stands for.
func (v view) names(topic string) []string {
	switch topic {
	case outputs:
		return v.plan.Outputs()
	case input:
		return []string{v.plan.Input}
	}
	if l, err := v.plan.Pipeline(topic); err == nil {
		return l.Outputs()
	}
	return []string{topic}
}

func isInternal(topic string) bool { return strings.HasPrefix(topic, "__") }

// ledBy lists the partitions of the run's own topics that any of the brokers leads, sorted.
func (v view) ledBy(brokers []int, topics ...string) []int32 {
	led := map[int32]bool{}
	for _, topic := range topics {
		for p, state := range v.topics[topic] {
			if slices.Contains(brokers, state.Leader) {
				led[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(led))
}

// topicsRead lists the topics whose leaders matter to a pipeline.
func (v view) topicsRead(l harness.PipelineLayout) []string {
	if l.ProducerOnly {
		return l.Outputs()
	}
	if l.Effects {
		return []string{v.plan.Input}
	}
	return append([]string{v.plan.Input}, l.Outputs()...)
}

// numbers lists a topic's partitions.
func (v view) numbers(topic string) []int32 { return slices.Sorted(maps.Keys(v.topics[topic])) }

// concerns says whether a topic matters to a pipeline: it reads or writes it, or its coordinator keeps its log there.
func (v view) concerns(l harness.PipelineLayout, topic string) bool {
	switch topic {
	case offsetsTopic:
		return l.Group != ""
	case shareStateTopic:
		return l.ShareGroup
	case transactionsTopic:
		return len(l.TransactionalIDs) > 0
	}
	return slices.Contains(v.topicsRead(l), topic)
}

// roles says what a broker did for one pipeline, in words ("led output/0", "coordinated its group").
func (v view) roles(l harness.PipelineLayout, broker int) []string {
	var roles []string
	if led := v.ledBy([]int{broker}, v.topicsRead(l)...); len(led) > 0 {
		roles = append(roles, "led "+partitions(outputs, led))
	}
	if v.groups[l.Name] == broker && l.Group != "" {
		roles = append(roles, "coordinated its group")
	}
	if v.transactions[l.Name] == broker && len(l.TransactionalIDs) > 0 {
		roles = append(roles, "coordinated its transactions")
	}
	return roles
}

// describe says for people what a broker is: "broker 1 (leads output/0, not the controller)".
func (v view) describe(broker int) string {
	var roles []string
	if led := v.ledBy([]int{broker}, v.names(outputs)...); len(led) > 0 {
		roles = append(roles, "leads "+partitions(outputs, led))
	}
	if coordinates(v.groups, broker) {
		roles = append(roles, "coordinates the groups")
	}
	if coordinates(v.transactions, broker) {
		roles = append(roles, "coordinates the transactions")
	}
	switch v.controller {
	case 0:
	case broker:
		roles = append(roles, "the controller")
	default:
		roles = append(roles, "not the controller")
	}
	if !slices.Contains(v.nodes, broker) { // a controller that is a node of its own has no other role
		return fmt.Sprintf("controller %d", broker)
	}
	if len(roles) == 0 {
		return fmt.Sprintf("broker %d", broker)
	}
	return fmt.Sprintf("broker %d (%s)", broker, strings.Join(roles, ", "))
}

func coordinates(of map[string]int, broker int) bool {
	return slices.Contains(slices.Collect(maps.Values(of)), broker)
}

// describeAll is describe for a list; of all brokers there is less to say.
func (v view) describeAll(brokers []int) string {
	if len(brokers) == len(v.nodes) {
		return "every broker"
	}
	var texts []string
	for _, b := range brokers {
		texts = append(texts, v.describe(b))
	}
	return strings.Join(texts, " and ")
}

// partitions writes "output/0,3".
func partitions(topic string, list []int32) string {
	var numbers []string
	for _, p := range list {
		numbers = append(numbers, fmt.Sprint(p))
	}
	return topic + "/" + strings.Join(numbers, ",")
}
