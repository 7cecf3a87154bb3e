package catalogue

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/chaeos/chaeos/harness"
)

//go:embed suites/*.yaml
var embeddedSuites embed.FS

// everything means, in a suite's file, all experiments that come with chaeos.
const everything = "all"

// Suite is a named list of experiments.
type Suite struct {
	Name, Summary string
	Experiments   []string
	// Repeat is how often each is run, every time with the next seed.
	Repeat int
}

// SuiteNames lists the suites that come with chaeos, sorted.
func SuiteNames() []string {
	files, err := fs.Glob(embeddedSuites, "suites/*.yaml")
	if err != nil {
		return nil // the pattern is right
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".yaml")
	}
	slices.Sort(files)
	return files
}

// FindSuite returns the suite of that name. An unknown name is a harness.UsageError with the nearest names.
func FindSuite(name string) (Suite, error) {
	if !slices.Contains(SuiteNames(), name) {
		return Suite{}, harness.UsageError{Reason: fmt.Sprintf("unknown suite %q (%s)", name, suggest(name, SuiteNames()))}
	}
	source, err := embeddedSuites.ReadFile("suites/" + name + ".yaml")
	if err != nil {
		return Suite{}, fmt.Errorf("suite %s: %w", name, err)
	}
	return parseSuite(name+".yaml", source)
}

func parseSuite(file string, source []byte) (Suite, error) {
	d := &decoder{file: file}
	suite := Suite{Repeat: 1}
	if root := d.root(source); d.err == nil {
		d.suite(root, &suite)
	}
	if d.err != nil {
		return Suite{}, d.err
	}
	return suite, nil
}

func (d *decoder) suite(root ast.Node, suite *Suite) {
	fields := d.fields(root, "with a suite", "name", "summary", "experiments", "repeat")
	d.require(root, fields, "name", "summary", "experiments")
	if f, ok := fields["name"]; ok {
		suite.Name = d.text(f)
	}
	if f, ok := fields["summary"]; ok {
		suite.Summary = d.text(f)
	}
	if f, ok := fields["repeat"]; ok {
		suite.Repeat = d.integer(f, 1, 1000)
	}
	if f, ok := fields["experiments"]; ok {
		suite.Experiments = d.suiteExperiments(f)
	}
}

func (d *decoder) suiteExperiments(f field) []string {
	if word, ok := f.value.(*ast.StringNode); ok && word.Value == everything {
		return Names()
	}
	var out []string
	for _, item := range d.list(f) {
		name := d.text(item)
		if !slices.Contains(Names(), name) {
			d.fail(item.key, "unknown experiment %q (%s)", name, suggest(name, Names()))
		}
		if slices.Contains(out, name) {
			d.fail(item.key, "experiment %q is named twice", name)
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		d.fail(f.key, "expected at least one experiment")
	}
	return out
}
