package toxics

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// Class is a set of what a target can select.
type Class int

// The classes.
const (
	Brokers Class = 1 << iota
	Workers
	Partitions
	Groups
)

// classNames are the classes in words, in order.
var classNames = []string{"brokers", "workers", "partitions", "groups"}

func (c Class) has(other Class) bool { return c&other == other }

func (c Class) String() string {
	var words []string
	for i, name := range classNames {
		if c.has(1 << i) {
			words = append(words, name)
		}
	}
	return strings.Join(words, " or ")
}

// Target is a parsed selector. What it selects is found when a fault is injected.
type Target struct {
	text string
	form *form
	// words are the selector's variable parts, by the name of their place.
	words map[string]string
}

// form is one way to write a target. A new selector is one new entry in forms, and a function that finds what it means.
type form struct {
	// syntax is how people write it.
	syntax  string
	class   Class
	pattern *regexp.Regexp
	brokers func(view, Target) ([]int, error)
	workers func([]harness.Member, Target) ([]string, error)
}

// Forms that say before a run which brokers they select.
const (
	brokerNSyntax    = "broker N"
	allBrokersSyntax = "all brokers"
)

// controllerSyntax selects the active controller, which may be a node of its own that keeps no records.
const controllerSyntax = "controller"

var forms []form

func init() { // not a literal: its functions parse targets themselves in error texts
	forms = []form{
		broker("leader of TOPIC/PARTITION", `leader of (?P<topic>[\w.-]+)/(?P<partition>\d+)`, leaderOf),
		broker("follower of TOPIC/PARTITION", `follower of (?P<topic>[\w.-]+)/(?P<partition>\d+)`, followerOf),
		broker(controllerSyntax, `controller`, controllerNow),
		broker("coordinator of group [PIPELINE]", `coordinator of group(?: (?P<pipeline>[\w.-]+))?`, groupCoordinator),
		broker("coordinator of transactional id [PIPELINE]", `coordinator of transactional id(?: (?P<pipeline>[\w.-]+))?`,
			transactionCoordinator),
		broker(brokerNSyntax, `broker (?P<number>\d+)`, brokerNumber),
		broker(allBrokersSyntax, `all brokers`, allBrokers),
		worker("worker N", `worker (?P<number>\d+)`, workerNumber),
		worker("holder of output/PARTITION", `holder of (?:output|input)/(?P<partition>\d+)`, holderOf),
		worker("the worker that holds partition PARTITION", `the worker that holds partition (?P<partition>\d+)`, holderOf),
		{syntax: "partition TOPIC/PARTITION", class: Partitions, pattern: whole(`partition (?P<topic>[\w.-]+)/(?P<partition>\d+)`)},
		{syntax: "topic TOPIC", class: Partitions, pattern: whole(`topic (?P<topic>[\w.-]+)`)},
		{syntax: "group [PIPELINE]", class: Groups, pattern: whole(`group(?: (?P<pipeline>[\w.-]+))?`)},
	}
}

func broker(syntax, pattern string, find func(view, Target) ([]int, error)) form {
	return form{syntax: syntax, class: Brokers, pattern: whole(pattern), brokers: find}
}

func worker(syntax, pattern string, find func([]harness.Member, Target) ([]string, error)) form {
	return form{syntax: syntax, class: Workers, pattern: whole(pattern), workers: find}
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile("^" + pattern + "$") }

// TargetForms lists the ways to write a target.
func TargetForms() []string {
	var out []string
	for _, f := range forms {
		out = append(out, f.syntax)
	}
	return out
}

// ParseTarget reads a selector, or returns an error that lists the forms there are.
func ParseTarget(s string) (Target, error) {
	for i := range forms {
		found := forms[i].pattern.FindStringSubmatch(s)
		if found == nil {
			continue
		}
		t := Target{text: s, form: &forms[i], words: map[string]string{}}
		for n, name := range forms[i].pattern.SubexpNames() {
			t.words[name] = found[n]
		}
		return t, nil
	}
	return Target{}, fmt.Errorf("%q is no target; targets are: %s", s, strings.Join(TargetForms(), "; "))
}

func (t Target) String() string { return t.text }

// Class says what the target selects.
func (t Target) Class() Class { return t.form.class }

// number returns a numeric part; the patterns let nothing but digits through, and out of range counts as the largest.
func (t Target) number(name string) int {
	n, err := strconv.ParseInt(t.words[name], 10, 32)
	if err != nil {
		return 1<<31 - 1
	}
	return int(n)
}

func (t Target) partition() int32 { return int32(t.number("partition")) }

// check says what the target names that an experiment doesn't have.
func (t Target) check(s Scope) error {
	_, isPartition := t.words["partition"]
	topic := t.words["topic"]
	if isPartition && !isInternal(topic) && t.number("partition") >= s.Partitions {
		return fmt.Errorf("%q: partitions go from 0 to %d", t, s.Partitions-1)
	}
	if topic != "" && topic != outputs && topic != input && !isInternal(topic) && !s.has(topic) {
		return fmt.Errorf("%q: the topic is %s, %s, a pipeline of the experiment, or internal", t, outputs, input)
	}
	if p := t.words["pipeline"]; p != "" && !s.has(p) {
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

func (s Scope) has(pipeline string) bool {
	return slices.ContainsFunc(s.Pipelines, func(p harness.PipelineInfo) bool { return p.Name == pipeline })
}

// findBrokers resolves a target that selects brokers: never to none.
func (t Target) findBrokers(v view) ([]int, error) {
	if t.form.brokers == nil {
		return nil, fmt.Errorf("%q selects %s, not brokers", t, t.Class())
	}
	found, err := t.form.brokers(v, t)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%q: there is none", t)
	}
	return found, err
}

// findWorkers resolves a target that selects workers, waiting a moment while a group rebalances.
func (t Target) findWorkers(ctx context.Context, f *harness.Field) ([]string, error) {
	if t.form.workers == nil {
		return nil, fmt.Errorf("%q selects %s, not workers", t, t.Class())
	}
	return awaitWorkers(ctx, f, t)
}
