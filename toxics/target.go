package toxics

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/nearest"
)

// Class is a set of what a target can select.
type Class int

// The classes.
const (
	Brokers Class = 1 << iota
	Workers
	Partitions
	Groups
	// Sources are the producers of producer-only pipelines.
	Sources
	// Service is the external service.
	Service
)

// classNames are the classes in words, in order.
var classNames = []string{"brokers", "workers", "partitions", "groups", "sources", "the external service"}

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
	// union and but make a compound target: what any of the first selects, without what any of the others does.
	union, but []Target
	// draw chooses among what a random target selects.
	draw uint64
}

// form is one way to write a target. A new selector is one new entry in forms, and a function that finds what it means.
type form struct {
	// syntax is how people write it.
	syntax  string
	class   Class
	pattern *regexp.Regexp
	brokers func(view, Target) ([]int, error)
	workers func([]harness.Member, Target) ([]string, error)
	// random says that one of them is meant, which the seed chooses.
	random bool
}

// Forms that say before a run which brokers they select.
const (
	brokerNSyntax    = "broker N"
	allBrokersSyntax = "all brokers"
)

const allWorkersSyntax = "all workers"

// controllerSyntax selects the active controller, which may be a node of its own that keeps no records.
const controllerSyntax = "controller"

var forms []form

func init() { // not a literal: its functions parse targets themselves in error texts
	forms = []form{
		broker("leader of TOPIC/PARTITION", `leader of (?P<topic>[\w.-]+)/(?P<partition>\d+)`, leaderOf),
		broker("follower of TOPIC/PARTITION", `follower of (?P<topic>[\w.-]+)/(?P<partition>\d+)`, followerOf),
		broker("out-of-sync replica of TOPIC/PARTITION", `out-of-(?:sync|ISR) replica of (?P<topic>[\w.-]+)/(?P<partition>\d+)`, laggardOf),
		broker(controllerSyntax, `(?:the )?(?:active )?controller`, controllerNow),
		broker("coordinator of group [PIPELINE]", `coordinator of group(?: (?P<pipeline>[\w.-]+))?`, groupCoordinator),
		broker("coordinator of transactional id [PIPELINE]", `coordinator of transactional id(?: (?P<pipeline>[\w.-]+))?`,
			transactionCoordinator),
		broker(brokerNSyntax, `broker (?P<number>\d+)`, brokerNumber),
		broker(allBrokersSyntax, allBrokersSyntax, allBrokers),
		{syntax: "random broker", class: Brokers, pattern: whole("random broker"), brokers: allBrokers, random: true},
		worker("worker N", `worker (?P<number>\d+)`, workerNumber),
		worker("holder of output/PARTITION", `holder of (?:output|input)/(?P<partition>\d+)`, holderOf),
		{syntax: "external service", class: Service, pattern: whole(`external service`)},
		{syntax: "sources under test", class: Sources, pattern: whole(`sources under test`)},
		{syntax: "source of PIPELINE", class: Sources, pattern: whole(`source of (?P<pipeline>[\w.-]+)`)},
		worker("the worker that holds partition PARTITION", `the worker that holds partition (?P<partition>\d+)`, holderOf),
		worker(allWorkersSyntax, allWorkersSyntax, allWorkers),
		{syntax: "random worker", class: Workers, pattern: whole("random worker"), workers: allWorkers, random: true},
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

// TargetForms lists the ways to write a target: those of one word or phrase, and how to compound them.
func TargetForms() []string {
	var out []string
	for _, f := range forms {
		out = append(out, f.syntax)
	}
	return append(out, "TARGET and TARGET", "TARGET, not TARGET", "not TARGET")
}

// parseAtom reads a selector that is not compound.
func parseAtom(s string) (Target, error) {
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
	return Target{}, fmt.Errorf("%q is no target; %s", s, suggestForm(s))
}

// suggestForm names the forms that a mistyped target may have meant, or all of them.
func suggestForm(s string) string {
	var meant []string
	for _, f := range forms {
		phrase := phraseOf(f.syntax)
		typed := strings.Fields(s)
		typed = typed[:min(len(typed), len(strings.Fields(phrase)))]
		if len(nearest.Names(strings.Join(typed, " "), []string{phrase})) > 0 {
			meant = append(meant, f.syntax)
		}
	}
	if len(meant) == 0 {
		return "targets are: " + strings.Join(TargetForms(), "; ")
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(meant, " or "))
}

// phraseOf is the part of a form's syntax that is written as it stands: up to the first word in capitals.
func phraseOf(syntax string) string {
	at := strings.IndexFunc(syntax, unicode.IsUpper)
	if at < 0 {
		return syntax
	}
	return strings.TrimRight(syntax[:at], " [")
}

func (t Target) String() string { return t.text }

// Class says what the target selects.
func (t Target) Class() Class { return t.form.class }

// Names lists the topics and pipelines that the target names.
func (t Target) Names() (all []string) {
	for _, place := range []string{"topic", "pipeline"} {
		if name := t.words[place]; name != "" {
			all = append(all, name)
		}
	}
	return all
}

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
	for _, part := range slices.Concat(t.union, t.but) {
		if err := part.check(s); err != nil {
			return err
		}
	}
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
	if t.Class() != Brokers {
		return nil, fmt.Errorf("%q selects %s, not brokers", t, t.Class())
	}
	found, err := combine(t, func(atom Target) ([]int, error) { return atom.form.brokers(v, atom) })
	if err == nil && t.random() {
		found = []int{found[v.draw%uint64(len(found))]}
	}
	return found, err
}

// findWorkers resolves a target that selects workers, among those in one of the given states, waiting a moment while a group
// rebalances.
func (t Target) findWorkers(ctx context.Context, f *harness.Field, among []harness.MemberState) ([]string, error) {
	if t.Class() != Workers {
		return nil, fmt.Errorf("%q selects %s, not workers", t, t.Class())
	}
	t.draw = drawOf(f)
	return awaitWorkers(ctx, f, t, among)
}

// workersNow resolves a target that selects workers as they are now. A random one is one worker in every pipeline.
func (t Target) workersNow(members []harness.Member) ([]string, error) {
	found, err := combine(t, func(atom Target) ([]string, error) { return atom.form.workers(members, atom) })
	if err != nil || !t.random() {
		return found, err
	}
	byPipeline := map[string][]string{}
	for _, m := range members {
		if slices.Contains(found, m.Name) {
			byPipeline[m.Pipeline] = append(byPipeline[m.Pipeline], m.Name)
		}
	}
	var picked []string
	for _, names := range byPipeline {
		picked = append(picked, names[t.draw%uint64(len(names))])
	}
	slices.Sort(picked)
	return picked, nil
}
