package main

import (
	"fmt"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/suite"
	"github.com/chaeos/chaeos/results"
)

// failedIn lists the runs of suites that left no report, and names what is in the folders: the suite, or just runs.
func failedIn(paths []string) (failed []string, name string) {
	name = "runs"
	for _, path := range paths {
		book, err := suite.Open(path)
		if err != nil {
			continue // no suite's folder, or one that can't be read: its runs speak for themselves
		}
		if len(paths) == 1 {
			name = "suite " + book.Name
		}
		failed = append(failed, failedOf(book)...)
	}
	return failed, name
}

// failedOf lists the runs of a suite that left no report, each with why.
func failedOf(book *suite.Book) []string {
	var failed []string
	for _, r := range book.Done() {
		if !r.Finished() {
			failed = append(failed, fmt.Sprintf("%s: %s", r.Item, r.Error))
		}
	}
	return failed
}

// summarised sums runs up; those to look at are named by their folders.
func summarised(name string, runs []judged, failed []string) *results.Summary {
	var reports []*harness.Report
	for _, r := range runs {
		reports = append(reports, r.report)
	}
	sum := results.Summarise(name, reports, failed)
	dirs := map[string]string{}
	for _, r := range runs {
		dirs[r.report.Run] = near(filepath.Clean(r.dir))
	}
	for _, row := range sum.Rows {
		for i, run := range row.Look {
			row.Look[i] = dirs[run]
		}
	}
	return sum
}
