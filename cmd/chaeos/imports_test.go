package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/chaeos/chaeos"

// floor is how high a room is. Imports go down only: cmd → harness/catalogue → workloads, toxics, triggers,
// verifiers, clusters, results → harness → what lies below harness.
func floor(pkg string) (floor int, known bool) {
	switch room := room(pkg); {
	case room == "cmd":
		return 4, true
	case room == "harness/catalogue":
		return 3, true
	case room == "workloads", room == "toxics", room == "triggers", room == "verifiers", room == "clusters", room == "results":
		return 2, true
	case room == "harness":
		return 1, true
	case strings.HasPrefix(room, "harness/"):
		return 0, true
	default:
		return 0, false
	}
}

// room is a package's first folder; the folders below harness are rooms of their own.
func room(pkg string) string {
	parts := strings.Split(strings.TrimPrefix(pkg, module+"/"), "/")
	if parts[0] == "harness" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// stairs are the rooms inside a room, lowest first: each may import those below it. A room's folders that are not listed
// are free.
var stairs = map[string][]string{
	"verifiers": {
		"verifiers/words", "verifiers/keyset", "verifiers/compact", "verifiers/observation", "verifiers/txns", "verifiers/saved",
		"verifiers/logs", "verifiers/rows", "verifiers/causes", "verifiers/checks/kit", "verifiers/checks", "verifiers", "verifiers/explain",
	},
	"workloads": {
		"workloads/protocol", "workloads/phase", "workloads/properties", "workloads/fleet", "workloads/member",
		"workloads/source", "workloads/worker", "workloads/service", "workloads",
	},
}

// climbs returns why from must not import to, in the same room, or "".
func climbs(from, to string) string {
	all := stairs[room(from)]
	above, below := slices.Index(all, strings.TrimPrefix(from, module+"/")), slices.Index(all, strings.TrimPrefix(to, module+"/"))
	if above >= 0 && below > above {
		return "is above it in their room"
	}
	return ""
}

// breaks returns why from must not import to, or "".
func breaks(from, to string) string {
	switch {
	case !strings.HasPrefix(to, module+"/"):
		return ""
	case room(from) == room(to):
		return climbs(from, to)
	}
	above, known := floor(from)
	below, knownToo := floor(to)
	switch {
	case !known || !knownToo:
		return "is in a room that the rule doesn't know"
	case above == 0 && below == 0: // history, wait and procs are small enough to lean on each other
		return ""
	case above > below:
		return ""
	default:
		return "is not below it"
	}
}

func TestImportRule(t *testing.T) {
	// Test files may look sideways: a fault is tested on a cluster.
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...")
	out, err := list.Output()
	require.NoError(t, err)
	packages := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		packages++
		for _, to := range words[1:] {
			why := breaks(words[0], to)
			require.Empty(t, why, "%s imports %s, which %s", words[0], to, why)
		}
	}
	require.Greater(t, packages, 5, "go list found hardly anything")
}

func TestImportRuleIsOne(t *testing.T) {
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"cmd/chaeos", "harness/catalogue", true},
		{"cmd/chaeos", "harness/history", true},
		{"harness/catalogue", "toxics", true},
		{"toxics", "harness", true},
		{"clusters/local", "clusters/kafkaconf", true},
		{"verifiers/readback", "harness/history", true},
		{"verifiers", "verifiers/checks", true},
		{"verifiers/checks", "verifiers/logs", true},
		{"verifiers/explain", "verifiers", true},
		{"verifiers/logs", "verifiers/checks", false},
		{"verifiers/causes", "verifiers/checks", false},
		{"verifiers/saved", "verifiers/logs", false},
		{"verifiers/checks", "verifiers", false},
		{"workloads", "workloads/fleet", true},
		{"workloads/worker", "workloads/member", true},
		{"workloads/fleet", "workloads/member", false},
		{"workloads/member", "workloads/worker", false},
		{"workloads/worker", "workloads", false},
		{"harness", "harness/wait", true},
		{"toxics", "harness/ask", true},
		{"verifiers/readback", "harness/ask", true},
		{"harness/ask", "harness", false},
		{"harness/procs", "harness/wait", true},
		{"results", "cmd/chaeos", false},
		{"toxics", "workloads", false},
		{"workloads", "clusters/local", false},
		{"harness", "harness/catalogue", false},
		{"harness", "results", false},
		{"harness/history", "harness", false},
		{"results", "harness/catalogue", false},
		{"cmd/chaeos", "attic", false},
	} {
		require.Equal(t, c.allowed, breaks(module+"/"+c.from, module+"/"+c.to) == "", "%s imports %s", c.from, c.to)
	}
	require.Empty(t, breaks(module+"/results", "io"))
}
