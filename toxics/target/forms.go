package target

import (
	"fmt"
	"regexp"

	"github.com/chaeos/chaeos/harness"
)

// form is one way to write a target. A new one is an entry in forms and a function that finds what it selects.
type form struct {
	// syntax is how people write it: words in capitals stand for names, those in brackets may be left out.
	syntax  string
	class   Class
	pattern *regexp.Regexp
	brokers func(View, Target) ([]int, error)
	workers func([]harness.Member, Target) ([]string, error)
	// random means that one of them is meant, and the seed chooses which.
	random bool
}

// The syntaxes that code asks for.
const (
	brokerNSyntax    = "broker N"
	allBrokersSyntax = "all brokers"
	allWorkersSyntax = "all workers"
	// controllerSyntax selects the active controller, which may be a node of its own that keeps no records.
	controllerSyntax = "controller"
)

// ownerPattern also has the older ways to write it.
const ownerPattern = `(?:(?:owner|holder) of (?:output|input)/|the worker that (?:owns|holds) partition )(?P<partition>\d+)`

// forms lists every form, in the order in which people read them.
var forms []form

func init() { // as a literal it would refer to itself: errors list the forms
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
		worker("owner of output/PARTITION", ownerPattern, ownerOf),
		{syntax: "external service", class: Service, pattern: whole(`external service`)},
		{syntax: "sources under test", class: Sources, pattern: whole(`sources under test`)},
		{syntax: "source of PIPELINE", class: Sources, pattern: whole(`source of (?P<pipeline>[\w.-]+)`)},
		worker(allWorkersSyntax, allWorkersSyntax, allWorkers),
		{syntax: "random worker", class: Workers, pattern: whole("random worker"), workers: allWorkers, random: true},
		{syntax: "partition TOPIC/PARTITION", class: Partitions, pattern: whole(`partition (?P<topic>[\w.-]+)/(?P<partition>\d+)`)},
		{syntax: "topic TOPIC", class: Partitions, pattern: whole(`topic (?P<topic>[\w.-]+)`)},
		{syntax: "group [PIPELINE]", class: Groups, pattern: whole(`group(?: (?P<pipeline>[\w.-]+))?`)},
	}
}

func broker(syntax, pattern string, find func(View, Target) ([]int, error)) form {
	return form{syntax: syntax, class: Brokers, pattern: whole(pattern), brokers: find}
}

func worker(syntax, pattern string, find func([]harness.Member, Target) ([]string, error)) form {
	return form{syntax: syntax, class: Workers, pattern: whole(pattern), workers: find}
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile("^" + pattern + "$") }

// Forms lists the ways to write a target, compounds last.
func Forms() []string {
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
