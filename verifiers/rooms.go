package verifiers

import (
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// Question is a record that About is asked about.
type Question = rows.Question

// Checks lists every check in the order in which reports show their numbers.
func Checks() []kit.Check { return checks.All() }

// Causes names every cause of a duplicate or loss, and everything that can have ended a stall, as reports give them.
func Causes() []string { return checks.Causes() }
