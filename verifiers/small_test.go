package verifiers

import (
	"flag"
	"os"
	"testing"

	"github.com/chaeos/chaeos/verifiers/saved"
)

// small makes everything that is done in pieces be done in many: each planted fault and each drawn run then takes several
// passes, and passes leave sections out.
var small = saved.Pieces{Copies: 7, Blocks: 2, Section: 3}

// TestMain draws the same runs every time, so that a failure is of the change at hand; make nightly draws others, and more
// (-rapid.seed=0 -rapid.checks=5000).
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
