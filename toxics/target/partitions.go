package toxics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

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

// concerned keeps the places that matter to a pipeline.
func (v view) concerned(places []place, l harness.PipelineLayout) []place {
	return slices.DeleteFunc(slices.Clone(places), func(p place) bool { return !v.concerns(l, p.topic) })
}
