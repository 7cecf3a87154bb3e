package results

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// headlineFeatures are the feature levels that change what a delivery promise means; JSON has all of them.
var headlineFeatures = []struct{ name, short string }{
	{"transaction.version", "transaction.version"},
	{"eligible.leader.replicas.version", "ELR"},
}

// headline says in one line which run this is.
func headline(r *harness.Report) string {
	terms := []string{fmt.Sprintf("min ISR %d", r.MinISR)}
	for _, f := range headlineFeatures {
		for _, has := range r.Features {
			if has.Name == f.name {
				terms = append(terms, fmt.Sprintf("%s %d", f.short, has.Level))
			}
		}
	}
	return fmt.Sprintf("%s   seed %d   %s, Kafka %s x %d (%s)   took %s\n",
		r.Experiment, r.Seed, r.Provider, r.Kafka, r.Brokers, strings.Join(terms, ", "), duration(r.Took))
}
