// Package tried is for tests only: how each fault is tried, on fakes and on real brokers. For most faults the target
// follows from what they hit, and every option has a default; the table has the others.
package tried

import (
	"testing"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/kit"
	"github.com/chaeos/chaeos/toxics/target"
)

// Try is how one fault is tried.
type Try struct {
	// Target is the usual one of the fault's class unless set.
	Target  string
	Options map[string]any
	// Before makes what the fault is to hit, each time before it is injected.
	Before func(testing.TB, *harness.Field)
	// Waits means that the fault waits for what the fakes never do.
	Waits bool
}

// table has the faults that need more than a target of their class.
var table = map[string]Try{
	"add-partitions":     {Target: "topic output"},
	"broker-config":      {Options: map[string]any{"set": map[string]any{"log.retention.ms": "60000"}}},
	"broker-kill":        {Target: "all brokers"},
	"broker-pause":       {Target: "all brokers"},
	"broker-restart":     {Target: "all brokers"},
	"broker-stop":        {Target: "all brokers"},
	"broker-wipe":        {Target: "all brokers"},
	"delete-records":     {Before: recordsToLose},
	"group-delete":       {Options: map[string]any{"within": "1s"}, Before: offsetsToLose, Waits: true},
	"leader-storm":       {Options: map[string]any{"interval": "100ms"}},
	"offsets-delete":     {Before: offsetsToLose},
	"partition":          {Target: "broker 1", Options: map[string]any{"links": "quorum"}},
	"power-loss":         {Target: "all brokers", Options: map[string]any{"mode": "checkpoint"}},
	"preferred-election": {Target: "topic output"},
	"request-hold":       {Options: map[string]any{"topic": "output"}},
	"rolling-restart":    {Target: "all brokers", Options: map[string]any{"pace": "none"}},
	"service-fail":       {Options: map[string]any{"how": "die"}, Before: aStore},
	"source-kill":        {Options: map[string]any{"phase": "flushed"}},
	"topic-config":       {Target: "topic output"},
	"transaction-abort":  {Before: transactionToLose},
	"unclean-election":   {Options: map[string]any{"within": "1s"}, Waits: true},
	"worker-kill":        {Options: map[string]any{"phase": "flushed"}},
	"worker-scale":       {Options: map[string]any{"by": 2}},
}

// Of returns how a fault is tried.
func Of(kind kit.Kind) Try {
	try := table[kind.Name]
	if try.Target == "" {
		try.Target = targetOf(kind.Hits)
	}
	return try
}

// targetOf is the usual target of what a fault hits. Of brokers it is the second: others may use the first and the third.
func targetOf(hits target.Class) string {
	switch {
	case hits.Has(target.Workers):
		return "worker 0"
	case hits.Has(target.Brokers):
		return "broker 2"
	case hits.Has(target.Partitions):
		return "partition output/0"
	case hits.Has(target.Groups):
		return "group"
	case hits.Has(target.Sources):
		return "sources under test"
	}
	return "external service"
}

// Names lists the faults that the table has a line for.
func Names() (names []string) {
	for name := range table {
		names = append(names, name)
	}
	return names
}
