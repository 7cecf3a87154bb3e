// Package suite does many runs, some at a time, and keeps a book of them, from which an interrupted suite continues.
package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/files"
)

// Version is the version of the book's file.
const Version = 1

// File is the book's name in the suite's folder.
const File = "suite.json"

// Item is one run to do.
type Item struct {
	Experiment string `json:"experiment"`
	Seed       uint64 `json:"seed"`
}

func (i Item) String() string { return fmt.Sprintf("%s seed %d", i.Experiment, i.Seed) }

// Result is how an item ended.
type Result struct {
	Item
	// Run is the run's folder within the suite's ("" if the run failed before it had a report).
	Run  string        `json:"run,omitempty"`
	Exit int           `json:"exit"`
	Took time.Duration `json:"took"`
	// Error is why there is no report.
	Error string `json:"error,omitempty"`
}

// Finished reports whether the item has a report: one without is done again when the suite continues.
func (r Result) Finished() bool { return r.Run != "" }

// Book is a suite's plan and its results so far. Its file is written after each run.
type Book struct {
	Version int       `json:"version"`
	Name    string    `json:"name"`
	Started time.Time `json:"started"`
	// Args are the flags that every run gets.
	Args    []string `json:"args,omitempty"`
	Items   []Item   `json:"items"`
	Results []Result `json:"results"`

	dir string
	mu  sync.Mutex // guards Results and the file: runs end side by side
}

// Items lists the runs of a suite: every experiment with the first seed, then every one with the next, so that a suite
// that ends early has done all experiments.
func Items(experiments []string, firstSeed uint64, repeat int) []Item {
	var items []Item
	for n := range uint64(max(repeat, 0)) {
		for _, e := range experiments {
			items = append(items, Item{e, firstSeed + n})
		}
	}
	return items
}

// Create makes the suite's folder and its book. The folder must not hold a book.
func Create(dir, name string, args []string, items []Item) (*Book, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("suite folder: %w (choose another place with --out)", err)
	}
	b := &Book{Version: Version, Name: name, Started: time.Now().UTC(), Args: args, Items: items, Results: []Result{}, dir: dir}
	if _, err := os.Stat(b.path()); err == nil {
		return nil, fmt.Errorf("suite folder %s: it holds a suite already (continue it: --resume %s)", dir, dir)
	}
	return b, b.save()
}

// Open reads the book of a suite that was begun earlier.
func Open(dir string) (*Book, error) {
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a suite's folder: it has no %s", dir, File)
	}
	if err != nil {
		return nil, fmt.Errorf("suite: %w", err)
	}
	b := &Book{dir: dir}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("suite %s: %w", path, err)
	}
	if b.Version != Version {
		return nil, fmt.Errorf("suite %s: version %d; this chaeos reads version %d", path, b.Version, Version)
	}
	return b, nil
}

// Dir is the suite's folder.
func (b *Book) Dir() string { return b.dir }

// Left lists the items without a report, in order.
func (b *Book) Left() []Item {
	b.mu.Lock()
	defer b.mu.Unlock()
	var left []Item
	for _, item := range b.Items {
		if !slices.ContainsFunc(b.Results, func(r Result) bool { return r.Item == item && r.Finished() }) {
			left = append(left, item)
		}
	}
	return left
}

// Done lists the results, one an item, in the order of the items.
func (b *Book) Done() []Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	var done []Result
	for _, item := range b.Items {
		if i := slices.IndexFunc(b.Results, func(r Result) bool { return r.Item == item }); i >= 0 {
			done = append(done, b.Results[i])
		}
	}
	return done
}

// enter writes a result into the book; it replaces an earlier one of the same item.
func (b *Book) enter(r Result) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Results = slices.DeleteFunc(b.Results, func(old Result) bool { return old.Item == r.Item })
	b.Results = append(b.Results, r)
	return b.save()
}

func (b *Book) path() string { return filepath.Join(b.dir, File) }

// save writes the file, whole or not at all.
func (b *Book) save() error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	if err := files.ReplaceBytes(b.path(), append(text, '\n')); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	return nil
}
