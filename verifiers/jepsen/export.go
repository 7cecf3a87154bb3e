package jepsen

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/files"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Extension is that of the histories' names.
const Extension = ".edn"

// Export writes each row of the run in dir as a history of Jepsen's Kafka workload, into a folder that is made: one file,
// named after the row's pipeline. It streams: memory is bounded by what was under way at once, and by what was aborted
// or never acknowledged. Sorting needs space in that folder meanwhile, 45 bytes for each output, twice.
func Export(dir, into string) error {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return err
	}
	index, err := observation.LoadIndex(dir)
	if err != nil {
		return err
	}
	if index == nil {
		index = &observation.Index{}
	}
	if err := files.ExportFolder(dir, into); err != nil {
		return fmt.Errorf("jepsen: %w", err)
	}
	for _, layout := range record.Plan.Pipelines {
		if !filepath.IsLocal(layout.Name) || filepath.Base(layout.Name) != layout.Name {
			return fmt.Errorf("jepsen: %q can't name a file", layout.Name)
		}
		r := &row{dir: dir, into: into, record: record, index: index, keys: newKeys(record.Plan, layout)}
		if err := r.file(filepath.Join(into, layout.Name+Extension)); err != nil {
			return err
		}
	}
	return nil
}

// file writes the row's history, which appears whole or not at all.
func (r *row) file(path string) (err error) {
	err = files.Replace(path, func(w io.Writer) error {
		r.out = newWriter(w, r.record.Base)
		return errors.Join(r.write(), r.out.out.Flush())
	})
	if err != nil {
		return fmt.Errorf("jepsen %s: %w", path, err)
	}
	return nil
}
