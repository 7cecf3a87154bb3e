// Package golden compares what a test got with a file that a person has read. It is for tests only.
//
// With -update the tests of a package write their golden files instead. A test that reads what another one writes must
// look at the file only after Equal, so that one run with -update is enough.
package golden

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// Updating reports whether golden files are being written. It is for files that a test writes by itself.
func Updating() bool { return *update }

// Equal fails the test where got is not what the file at path holds, and prints only the lines that differ. With -update it
// writes the file.
func Equal[T ~string | ~[]byte](t testing.TB, path string, got T) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if diff := Diff(string(want), string(got)); diff != "" {
		t.Fatalf("%s is not what the test got (-update writes it):\n%s", path, diff)
	}
}
