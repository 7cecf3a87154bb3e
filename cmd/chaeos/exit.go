package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// The exit codes, as the help of the command and docs/READING.md list them.
const (
	exitExpected       = 0
	exitInfrastructure = 1
	exitUsage          = 2
	exitViolated       = 3
	exitInconclusive   = 4
)

const exitHelp = `Exit codes:
  0  every claim came out as the experiment expects
  1  infrastructure: a cluster, a process or a file failed before there was anything to judge
  2  usage: the command line or an experiment's YAML can't be carried out
  3  a claim was violated that must hold
  4  inconclusive (also a cluster or process that failed later), interrupted, or a claim held that must break
Of several experiments the first of 2, 1, 3, 4 decides.`

// precedence orders the exit codes: the first that any of several runs came to is the command's.
var precedence = []int{exitUsage, exitInfrastructure, exitViolated, exitInconclusive, exitExpected}

// errInterrupted is the cause of a context that a signal cancelled.
var errInterrupted = errors.New("interrupted")

// outcome is the exit code of a command that did its work; what it means has been printed.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// exitCode is the one place where an error becomes an exit code.
func exitCode(err error) int {
	var (
		done  outcome
		usage harness.UsageError
	)
	switch {
	case err == nil:
		return exitExpected
	case errors.As(err, &done):
		return int(done)
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errInterrupted):
		return exitInconclusive
	default:
		return exitInfrastructure
	}
}

// orInterrupted puts the interrupt before what failed because of it.
func orInterrupted(ctx context.Context, err error) error {
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) && !errors.Is(err, errInterrupted) {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	return err
}

// worst is the exit code of several runs together.
func worst(codes []int) int {
	for _, code := range precedence {
		if slices.Contains(codes, code) {
			return code
		}
	}
	return exitExpected
}
