package main

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/cmd/chaeos/format"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/results/page"
)

// indexFile is the name of a suite's page in its folder.
const indexFile = "index.html"

// index writes the page of a suite, or of several nights of it, and the pages of the runs that it leads to. It prints where
// it is.
func (a *app) index(paths []string, output string) error {
	if output == "" && len(paths) > 1 {
		return usage.Errorf("--summary --html writes one page: say where with --output, or name one folder (its page is %s in it)", indexFile)
	}
	path, put := filepath.Join(paths[0], indexFile), files.Replace
	if output != "" {
		path, put = output, a.deliver
	}
	nights, err := a.nights(paths, filepath.Dir(path))
	if err != nil {
		return err
	}
	name := commonName(paths)
	if err := put(path, func(w io.Writer) error { return page.Index(w, name, nights) }); err != nil {
		return err
	}
	a.printPlace(path)
	return nil
}

// nights judges the runs in each folder and writes their pages. Links lead there from the folder `from`.
func (a *app) nights(paths []string, from string) (all []page.Night, err error) {
	if _, err := runFolders(paths); err != nil { // a mistake in the last path must not cost the judging of the first
		return nil, err
	}
	for _, path := range paths {
		night := page.Night{Name: filepath.Base(filepath.Clean(path))}
		night.Failed, _ = failedIn([]string{path})
		runs, err := a.judgeAll([]string{path})
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			at := filepath.Join(r.dir, format.PageFile)
			if err := files.Replace(at, func(w io.Writer) error { return a.parts.page(w, r.dir) }); err != nil {
				return nil, fmt.Errorf("%s: %w", r.dir, err)
			}
			night.Runs = append(night.Runs, page.Run{Report: r.report, Link: link(from, at)})
		}
		all = append(all, night)
	}
	return all, nil
}

// commonName names what the folders hold: the suite, where all of them are of the same.
func commonName(paths []string) string {
	var names []string
	for _, path := range paths {
		_, name := failedIn([]string{path})
		names = append(names, name)
	}
	if names = slices.Compact(names); len(names) > 1 {
		return "runs"
	}
	return names[0]
}

// link is the URL of a file as seen from a page in a folder: a relative one, so that both can move together.
func link(from, to string) string {
	absFrom, errFrom := filepath.Abs(from)
	absTo, errTo := filepath.Abs(to)
	rel, err := filepath.Rel(absFrom, absTo)
	if errFrom != nil || errTo != nil || err != nil {
		rel = to
	}
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	if parts[0] != ".." { // a colon in the first part would make a scheme of it
		parts = append([]string{"."}, parts...)
	}
	return strings.Join(parts, "/")
}

// printPlace prints where a page is. One that went into a pipe is for that alone.
func (a *app) printPlace(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
		fmt.Fprintln(a.stdout, near(path))
	}
}
