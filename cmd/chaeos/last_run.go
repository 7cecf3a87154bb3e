package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
)

// runsFolder is where chaeos run puts runs unless it is given another folder.
const runsFolder = "runs"

// lastRun is the newest run in the folder of runs, also of those in a suite's folder there. Names begin with the time.
func lastRun(command string) (dir string, err error) {
	for _, pattern := range []string{"*", "*/*"} {
		found, err := filepath.Glob(filepath.Join(runsFolder, pattern, harness.RecordFile))
		if err != nil {
			return "", err
		}
		for _, path := range found {
			if run := filepath.Dir(path); dir == "" || strings.Compare(filepath.Base(run), filepath.Base(dir)) > 0 {
				dir = run
			}
		}
	}
	if dir == "" {
		return "", usage.Errorf("%s takes a run's folder, and there is none in %s either (chaeos run makes them there)", command, runsFolder)
	}
	return dir, nil
}

// orLastRun names the last run where a command was given no folder, and says so.
func (a *app) orLastRun(c *cobra.Command, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	dir, err := lastRun(path(c))
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(a.stderr, "the last run:", dir)
	return []string{dir}, nil
}

// atMostOneArg refuses a second argument.
func atMostOneArg(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usage.Errorf("%s takes %s, and was given %d arguments", path(c), what, len(args))
		}
		return nil
	}
}
