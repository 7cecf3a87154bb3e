package toxics

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// place is one partition of one topic.
type place struct {
	topic     string
	partition int32
}

func (p place) String() string { return fmt.Sprintf("%s/%d", p.topic, p.partition) }

func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
}

// findPlaces resolves a target that selects partitions: in every topic that it stands for, sorted.
func (t Target) findPlaces(v view) ([]place, error) {
	if t.Class() != Partitions {
		return nil, fmt.Errorf("%q selects %s, not partitions", t, t.Class())
	}
	texts, err := combine(t, func(atom Target) ([]string, error) { return atom.placesNow(v) })
	if err != nil {
		return nil, err
	}
	var found []place
	for _, text := range texts {
		topic, number, _ := strings.Cut(text, "/") // a topic's name has no slash
		p, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			return nil, err
		}
		found = append(found, place{topic, int32(p)})
	}
	slices.SortFunc(found, byPlace)
	return found, nil
}

// placesNow lists the partitions of one form, as text, which can be ordered.
func (t Target) placesNow(v view) ([]string, error) {
	_, one := t.words["partition"]
	var found []string
	for _, topic := range v.names(t.words["topic"]) {
		for p := range v.topics[topic] {
			if !one || p == t.partition() {
				found = append(found, place{topic, p}.String())
			}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%q: there is no such partition", t)
	}
	return found, nil
}

// topicsIn lists the topics of places, each once, sorted.
func topicsIn(places []place) []string {
	topics := map[string]bool{}
	for _, p := range places {
		topics[p.topic] = true
	}
	return slices.Sorted(maps.Keys(topics))
}

// onPlaces is what faults on partitions begin with.
type onPlaces struct {
	view   view
	places []place
	i      *injection
}

// findPartitions resolves a target that selects partitions, and notes what is in flight.
func findPartitions(ctx context.Context, f *harness.Field, target string) (onPlaces, error) {
	t, err := ParseTarget(target)
	if err != nil {
		return onPlaces{}, err
	}
	v, err := look(ctx, f)
	if err != nil {
		return onPlaces{}, err
	}
	places, err := t.findPlaces(v)
	if err != nil {
		return onPlaces{}, err
	}
	return onPlaces{v, places, newInjection(f, v.placesResolved(places))}, nil
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

// generic is the name that stands for a topic in targets: a run's real names say little to people.
func (v view) generic(topic string) string {
	if topic == v.plan.Input {
		return input
	}
	if _, ok := v.pipelineOf(topic); ok {
		return outputs
	}
	return topic
}

// pipelineOf is the pipeline whose output a topic is.
func (v view) pipelineOf(topic string) (string, bool) {
	for _, l := range v.plan.Pipelines {
		if slices.Contains(l.Outputs(), topic) {
			return l.Name, true
		}
	}
	return "", false
}

// concerned keeps the places that matter to a pipeline.
func (v view) concerned(places []place, l harness.PipelineLayout) []place {
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool { return !v.concerns(l, p.topic) })
}
