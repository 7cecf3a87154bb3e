package saved

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws the same every time, so that a failure is of the change at hand; make nightly draws others, and more.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
