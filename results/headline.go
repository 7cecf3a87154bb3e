package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// headlineFeatures are the feature levels that change what a delivery promise means; JSON has all of them.
var headlineFeatures = []struct{ name, short string }{
	{"transaction.version", "transaction.version"},
	{"eligible.leader.replicas.version", "ELR"},
}

// Headline says in one line which run this is.
func Headline(r *harness.Report) string {
	return strings.TrimPrefix(strings.TrimSpace(headline(r)), r.Experiment+"   ")
}

// headline says in one line which run this is.
func headline(r *harness.Report) string {
	terms := append([]string{fmt.Sprintf("min ISR %d", r.MinISR)}, featureTerms(r)...)
	if len(r.Racks) > 0 {
		terms = append(terms, "racks "+strings.Join(r.Racks, " "))
	}
	size := fmt.Sprint(r.Brokers)
	if r.Controllers > 0 {
		size += fmt.Sprintf(" + %d controllers", r.Controllers)
	}
	return fmt.Sprintf("%s   seed %d   %s, Kafka %s x %s (%s)   took %s\n",
		r.Experiment, r.Seed, r.Provider, r.Kafka, size, strings.Join(terms, ", "), duration(r.Took))
}

// featureTerms names the levels that matter to a promise, and those that the experiment or a flag asked for.
func featureTerms(r *harness.Report) []string {
	var terms []string
	for _, f := range headlineFeatures {
		if level, ok := levelOf(r, f.name); ok {
			terms = append(terms, fmt.Sprintf("%s %d", f.short, level))
		}
	}
	for _, asked := range r.Asked {
		if level, _ := levelOf(r, asked.Name); !inHeadline(asked.Name) {
			terms = append(terms, fmt.Sprintf("%s %d", asked.Name, level))
		}
	}
	return terms
}

// levelOf is a feature's finalised level. Brokers don't list a feature of level 0: asked for, it is 0.
func levelOf(r *harness.Report, name string) (int16, bool) {
	for _, f := range r.Features {
		if f.Name == name {
			return f.Level, true
		}
	}
	return 0, slices.ContainsFunc(r.Asked, func(f harness.Feature) bool { return f.Name == name })
}

func inHeadline(name string) bool {
	for _, f := range headlineFeatures {
		if f.name == name {
			return true
		}
	}
	return false
}

// propertyLine names the broker properties that were set for this run.
func propertyLine(properties map[string]string) string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		set = append(set, name+"="+properties[name])
	}
	if len(set) == 0 {
		return ""
	}
	return "brokers  " + strings.Join(set, ", ")
}
