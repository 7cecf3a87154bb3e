package evidence

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/chaeos/chaeos/harness/files"
)

// groupRows bounds a row group, and with it what a writer holds in memory (of ten minutes' timeline, 32 Ki rows took 40 MiB more).
const groupRows = 8_192

// file is a Parquet file that appears whole or not at all.
type file[R any] struct {
	*files.Pending
	path string
	out  *parquet.GenericWriter[R]
	err  error
}

func create[R any](dir, name string) (*file[R], error) {
	f := &file[R]{path: filepath.Join(dir, name+".parquet")}
	var err error
	if f.Pending, err = files.Create(f.path); err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	f.out = parquet.NewGenericWriter[R](f.Pending, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("chaeos", "1", "parquet-go"))
	return f, nil
}

// add writes rows. After an error it does nothing: close returns it.
func (f *file[R]) add(rows ...R) {
	if f.err == nil {
		_, f.err = f.out.Write(rows)
	}
}

// close ends the file. If failed is set, what it should hold is not complete: nothing appears.
func (f *file[R]) close(failed error) error {
	err := errors.Join(f.err, f.out.Close())
	if err != nil {
		err = fmt.Errorf("evidence %s: %w", f.path, err)
	}
	if failed != nil || err != nil {
		return errors.Join(err, f.Discard())
	}
	if err := f.Keep(); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}

// write makes one file from what fill adds.
func write[R any](dir, name string, fill func(*file[R]) error) error {
	f, err := create[R](dir, name)
	if err != nil {
		return err
	}
	err = fill(f)
	return errors.Join(err, f.close(err))
}

func ptr[T any](v T) *T { return &v }

// text is nil where there is none.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
