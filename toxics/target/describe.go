package toxics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

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

// placesResolved says what partitions are for people: "output/0 (led by broker 1)", once for all pipelines whose
// partitions are led by the same broker.
func (v view) placesResolved(places []place) harness.Resolved {
	numbers, leaders := map[int32]bool{}, map[int]bool{}
	var texts []string
	for _, p := range places {
		leader := v.topics[p.topic][p.partition].Leader
		if numbers[p.partition] = true; leader > 0 {
			leaders[leader] = true
		}
		text := fmt.Sprintf("%s/%d (led by broker %d)", v.generic(p.topic), p.partition, leader)
		if leader < 0 {
			text = fmt.Sprintf("%s/%d (without a leader)", v.generic(p.topic), p.partition)
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return harness.Resolved{
		Text: strings.Join(texts, ", "), Brokers: slices.Sorted(maps.Keys(leaders)), Partitions: slices.Sorted(maps.Keys(numbers)),
	}
}
