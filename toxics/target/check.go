package target

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// Check returns an error if the target names anything that the experiment doesn't have.
func (t Target) Check(s harness.Scope) error {
	for _, part := range slices.Concat(t.union, t.but) {
		if err := part.Check(s); err != nil {
			return err
		}
	}
	_, isPartition := t.words["partition"]
	topic := t.words["topic"]
	if isPartition && !Internal(topic) && t.number("partition") >= s.Partitions {
		return fmt.Errorf("%q: partitions go from 0 to %d", t, s.Partitions-1)
	}
	if topic != "" && topic != Output && topic != Input && !Internal(topic) && !s.Has(topic) {
		return fmt.Errorf("%q: the topic is %s, %s, a pipeline of the experiment, or internal", t, Output, Input)
	}
	if p := t.words["pipeline"]; p != "" && !s.Has(p) {
		return fmt.Errorf("%q: the experiment has no pipeline %q", t, p)
	}
	if _, ok := t.words["number"]; !ok {
		return nil
	}
	switch n := t.number("number"); {
	case t.Class() == Brokers && (n < 1 || n > s.Brokers):
		return fmt.Errorf("%q: brokers go from 1 to %d", t, s.Brokers)
	case t.Class() == Workers && n >= s.Workers:
		return fmt.Errorf("%q: workers go from 0 to %d", t, s.Workers-1)
	}
	return nil
}

// Means reports whether a target that may name a pipeline is about this one.
func (t Target) Means(pipeline string) bool {
	return t.words["pipeline"] == "" || t.words["pipeline"] == pipeline
}

// WholeTopics returns an error if the target selects single partitions: why says what is done to whole topics only.
func (t Target) WholeTopics(why string) error {
	for _, part := range append([]Target{t}, slices.Concat(t.union, t.but)...) {
		if _, one := part.words["partition"]; one {
			return fmt.Errorf("%q: %s whole topics: topic %s", t, why, part.words["topic"])
		}
	}
	return nil
}
