package target

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
)

// Roles lists in words what a broker did for one pipeline ("led output/0", "coordinated its group").
func (v View) Roles(l harness.PipelineLayout, broker int) []string {
	var roles []string
	if led := v.LedBy([]int{broker}, v.topicsRead(l)...); len(led) > 0 {
		roles = append(roles, "led "+PartitionList(Output, led))
	}
	if v.groups[l.Name] == broker && l.Group != "" {
		roles = append(roles, "coordinated its group")
	}
	if v.transactions[l.Name] == broker && len(l.TransactionalIDs) > 0 {
		roles = append(roles, "coordinated its transactions")
	}
	return roles
}

// describeOne describes a broker for people: "broker 1 (leads output/0, not the controller)".
func (v View) describeOne(broker int) string {
	var roles []string
	if led := v.LedBy([]int{broker}, v.Names(Output)...); len(led) > 0 {
		roles = append(roles, "leads "+PartitionList(Output, led))
	}
	if coordinates(v.groups, broker) {
		roles = append(roles, "coordinates the groups")
	}
	if coordinates(v.transactions, broker) {
		roles = append(roles, "coordinates the transactions")
	}
	switch v.Controller {
	case 0:
	case broker:
		roles = append(roles, "the controller")
	default:
		roles = append(roles, "not the controller")
	}
	if !slices.Contains(v.Nodes, broker) { // a controller that is a node of its own has no other role
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

// Describe describes brokers for people; of all of them together there is less to say.
func (v View) Describe(brokers []int) string {
	if len(brokers) == len(v.Nodes) {
		return "every broker"
	}
	var texts []string
	for _, b := range brokers {
		texts = append(texts, v.describeOne(b))
	}
	return strings.Join(texts, " and ")
}

// PartitionList writes "output/0,3".
func PartitionList(topic string, list []int32) string {
	var numbers []string
	for _, p := range list {
		numbers = append(numbers, fmt.Sprint(p))
	}
	return topic + "/" + strings.Join(numbers, ",")
}

// ResolvePartitions describes partitions for people: "output/0 (led by broker 1)", once for all pipelines whose partition the
// same broker leads.
func (v View) ResolvePartitions(partitions []ask.TopicPartition) harness.Resolved {
	numbers, leaders := map[int32]bool{}, map[int]bool{}
	var texts []string
	for _, p := range partitions {
		leader := v.Leader(p)
		if numbers[p.Partition] = true; leader > 0 {
			leaders[leader] = true
		}
		text := fmt.Sprintf("%s/%d (led by broker %d)", v.Generic(p.Topic), p.Partition, leader)
		if leader < 0 {
			text = fmt.Sprintf("%s/%d (without a leader)", v.Generic(p.Topic), p.Partition)
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return harness.Resolved{
		Text: strings.Join(texts, ", "), Brokers: slices.Sorted(maps.Keys(leaders)), Partitions: slices.Sorted(maps.Keys(numbers)),
	}
}
