package catalogue

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

//go:embed experiments/*.yaml
var embedded embed.FS

// folder is where the embedded experiments are.
const folder = "experiments"

// Names lists the names of the experiments that come with chaeos, sorted.
func Names() []string {
	files, err := fs.Glob(embedded, folder+"/*.yaml")
	if err != nil {
		return nil // the pattern is right
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".yaml")
	}
	slices.Sort(files)
	return files
}

// All returns every experiment that comes with chaeos, sorted by name, ranges at their low ends.
func All() ([]harness.Experiment, error) {
	var all []harness.Experiment
	for _, name := range Names() {
		exp, err := Find(name)
		if err != nil {
			return nil, err
		}
		all = append(all, exp)
	}
	return all, nil
}

// Find returns the experiment of that name, ranges at their low ends. An unknown name is a harness.UsageError with the
// nearest names.
func Find(name string) (harness.Experiment, error) {
	names := Names()
	if !slices.Contains(names, name) {
		return harness.Experiment{}, harness.UsageError{
			Reason: fmt.Sprintf("unknown experiment %q (%s)", name, suggest(name, names)),
		}
	}
	file := name + ".yaml"
	source, err := embedded.ReadFile(folder + "/" + file)
	if err != nil {
		return harness.Experiment{}, fmt.Errorf("experiment %s: %w", name, err)
	}
	return parse(file, source, pipelines())
}

// LoadFile reads a user's experiment, ranges at their low ends. A mistake in the file is an *Error.
func LoadFile(path string) (harness.Experiment, error) {
	source, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return harness.Experiment{}, harness.UsageError{Reason: fmt.Sprintf("there is no file %s", path)}
	}
	if err != nil {
		return harness.Experiment{}, fmt.Errorf("experiment: %w", err)
	}
	return parse(path, source, pipelines())
}

// Open returns the experiment of a name, or of a file if the argument ends in .yaml or .yml or is a path.
func Open(nameOrPath string) (harness.Experiment, error) {
	ext := filepath.Ext(nameOrPath)
	if ext == ".yaml" || ext == ".yml" || strings.ContainsRune(nameOrPath, os.PathSeparator) {
		return LoadFile(nameOrPath)
	}
	return Find(nameOrPath)
}

// parse reads and checks one experiment.
func parse(file string, source []byte, known []harness.PipelineInfo) (harness.Experiment, error) {
	doc, err := read(file, source, known)
	if err != nil {
		return harness.Experiment{}, err
	}
	exp := doc.exp
	exp.Faults, err = doc.draw(lowest{}, exp)
	return exp, err
}
