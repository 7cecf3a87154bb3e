package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// stepSummary is the variable in which GitHub Actions names the file.
const stepSummary = "GITHUB_STEP_SUMMARY"

// summarise adds a run to the step summary when GitHub Actions asks for one: it shows the file that it names on the
// workflow's page.
func (a *app) summarise(report *harness.Report, dir string) error {
	path := a.getenv(stepSummary)
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := results.Markdown(&b, report, results.Options{Verify: "chaeos verify " + shellWord(near(dir))}); err != nil {
		return err
	}
	b.WriteByte('\n')
	return appendTo(path, b.Bytes())
}

// summariseSuite adds a suite's summary in the same way.
func (a *app) summariseSuite(sum *results.Summary) error {
	path := a.getenv(stepSummary)
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := results.WriteSummary(&b, sum, results.SummaryOptions{Markdown: true}); err != nil {
		return err
	}
	b.WriteByte('\n')
	return appendTo(path, b.Bytes())
}

func appendTo(path string, text []byte) (err error) {
	f, err := os.OpenFile(filepath.Clean(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("step summary (%s): %w", stepSummary, err)
	}
	defer func() {
		if e := f.Close(); err == nil && e != nil {
			err = fmt.Errorf("step summary (%s): %w", stepSummary, e)
		}
	}()
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("step summary (%s): %w", stepSummary, err)
	}
	return nil
}
