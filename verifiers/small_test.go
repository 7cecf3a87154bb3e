package verifiers

import (
	"os"
	"testing"
)

// TestMain makes everything that is done in pieces be done in many: each planted fault and each drawn run then takes
// several passes, and passes leave stretches out.
func TestMain(m *testing.M) {
	stretchBatches, copiesAtOnce, suspectsAtOnce = 3, 7, 2
	os.Exit(m.Run())
}
