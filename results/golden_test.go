package results_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"testing"

	expected "github.com/chaeos/chaeos/harness/golden"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	expected.Same(t, filepath.Join("testdata", name), string(bytes.ReplaceAll(got, []byte("\r"), nil)), *update)
}
