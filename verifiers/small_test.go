package verifiers

import (
	"flag"
	"os"
	"testing"

	"github.com/chaeos/chaeos/verifiers/causes"
)

// TestMain makes everything that is done in pieces be done in many: each planted fault and each drawn run then takes
// several passes, and passes leave stretches out. What is drawn is the same at each run, so that a failure is of the change
// at hand; make nightly draws anew, and more (-rapid.seed=0 -rapid.checks=5000).
func TestMain(m *testing.M) {
	logs.sectionBatches, causes.CopiesAtOnce, causes.SuspectsAtOnce = 3, 7, 2
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
