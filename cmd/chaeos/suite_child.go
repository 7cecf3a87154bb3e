package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/harness/suite"
)

// suites are all suites, and how one of their runs is done.
type suites struct {
	names []string
	find  func(name string) (experiments []string, repeat int, err error)
	do    func(ctx context.Context, dir string, item suite.Item, args []string) (suite.Result, error)
}

// runChild does one run of a suite as a process of its own: a run that crashes takes no other with it, and runs side by
// side share nothing. What it prints is kept next to its folder.
func runChild(self []string) func(context.Context, string, suite.Item, []string) (suite.Result, error) {
	return func(ctx context.Context, dir string, item suite.Item, args []string) (suite.Result, error) {
		log, err := files.Fresh(filepath.Join(dir, fmt.Sprintf("%s-%d.log", filepath.Base(item.Experiment), item.Seed)))
		if err != nil {
			return suite.Result{}, fmt.Errorf("suite: %w", err)
		}
		defer func() { _ = log.Close() }() // what it contains is only for people
		line := append([]string{"run", item.Experiment, "--seed", fmt.Sprint(item.Seed), "--out", dir, "--json"}, args...)
		cmd := exec.Command(self[0], append(self[1:len(self):len(self)], line...)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, log
		cmd.Env = withoutSummary(os.Environ())
		begun := time.Now()
		child, err := procs.Start(cmd)
		if err != nil {
			return suite.Result{}, err
		}
		if interrupted := awaitChild(ctx, child); interrupted {
			return suite.Result{}, errors.Join(suite.ErrInterrupted, setAside(dir, out.Bytes()))
		}
		return childResult(item, child.ExitState().ExitCode(), out.Bytes(), log.Name(), time.Since(begun)), nil
	}
}

// withoutSummary keeps the runs of a suite from writing step summaries: the suite writes one for all.
func withoutSummary(env []string) []string {
	var out []string
	for _, v := range env {
		if !strings.HasPrefix(v, stepSummary+"=") {
			out = append(out, v)
		}
	}
	return out
}

// awaitChild waits for the child's end. When ctx is done it passes the interrupt on, and the child heals and tears down.
func awaitChild(ctx context.Context, child *procs.Process) (interrupted bool) {
	select {
	case <-child.Done():
		return false
	case <-ctx.Done():
	}
	_ = child.Signal(syscall.SIGINT) // it may have ended just now
	<-child.Done()                   // a second interrupt ends this process, and the kernel ends the child with it
	return true
}

// childResult reads what a run printed. A run without a report failed: the end of its log shows why.
func childResult(item suite.Item, exit int, out []byte, log string, took time.Duration) suite.Result {
	r := suite.Result{Item: item, Exit: exit, Took: took}
	var report harness.Report
	if err := json.Unmarshal(out, &report); err == nil && report.Run != "" && exit >= 0 {
		r.Run = report.Run
		return r
	}
	if exit <= 0 { // killed, or done without a report
		r.Exit = exitInfrastructure
	}
	r.Error = fmt.Sprintf("%s (all of it: %s)", lastLine(log), log)
	return r
}

func lastLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "it left no report and no log"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// aside is the folder of runs that were cut short: what they recorded is kept, and is in no summary.
const aside = "interrupted"

// setAside moves the folder of an interrupted run out of the way.
func setAside(dir string, out []byte) error {
	var report harness.Report
	if err := json.Unmarshal(out, &report); err != nil || report.Run == "" {
		return nil // it was interrupted before it had anything to report
	}
	if err := os.MkdirAll(filepath.Join(dir, aside), 0o755); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	if err := os.Rename(filepath.Join(dir, report.Run), filepath.Join(dir, aside, report.Run)); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	return nil
}
