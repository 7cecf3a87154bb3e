package toxics

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// topicsIn lists the topics of places, each once, sorted.
func topicsIn(places []place) []string {
	topics := map[string]bool{}
	for _, p := range places {
		topics[p.topic] = true
	}
	return slices.Sorted(maps.Keys(topics))
}
