package prose_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/prose"
)

func TestThousands(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0", 999: "999", 1000: "1,000", 96210: "96,210", 1234567: "1,234,567", math.MaxUint64: "18,446,744,073,709,551,615",
	} {
		require.Equal(t, want, prose.Thousands(n))
	}
	require.Equal(t, "-1,000", prose.Thousands(-1000))
	require.Equal(t, "-9,223,372,036,854,775,808", prose.Thousands(int64(math.MinInt64)))
}

func TestPlural(t *testing.T) {
	require.Equal(t, "0 records", prose.Plural(0, "record"))
	require.Equal(t, "1 record", prose.Plural(1, "record"))
	require.Equal(t, "1,204 records", prose.Plural(uint64(1204), "record"))
}
