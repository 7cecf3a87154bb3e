package page_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/results/page"
)

// TestThinHidesNoSpike: whatever is drawn, the extremes of the whole are in what is left, and times go up.
func TestThinHidesNoSpike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		limit := rapid.IntRange(2, 500).Draw(t, "limit")
		var times []float64
		var values []page.Value
		low, high := 0.0, 0.0
		for i := range n {
			times = append(times, float64(i))
			v := float64(rapid.IntRange(-1000, 1000).Draw(t, "v"))
			if i == 0 {
				low, high = v, v
			}
			low, high = min(low, v), max(high, v)
			values = append(values, page.Of(v))
		}
		thin := page.Thin(times, limit, &values)
		require.Len(t, values, len(thin))
		require.LessOrEqual(t, len(thin), max(limit+2, 2))
		require.True(t, slices.IsSorted(thin))
		var left []float64
		for _, v := range values {
			left = append(left, *v)
		}
		require.InDelta(t, low, slices.Min(left), 0)
		require.InDelta(t, high, slices.Max(left), 0)
	})
}

func TestThinKeepsGaps(t *testing.T) {
	values := []page.Value{page.Of(1), page.Of(2), nil, nil, page.Of(9), nil}
	times := page.Thin([]float64{0, 1, 2, 3, 4, 5}, 6, &values)
	require.Len(t, times, 6, "short series stay as they are")
	values = []page.Value{page.Of(1), page.Of(2), nil, nil, page.Of(9), nil}
	times = page.Thin([]float64{0, 1, 2, 3, 4, 5}, 3, &values)
	require.Equal(t, []float64{0, 2, 4, 5}, times)
	require.Equal(t, []page.Value{page.Of(1), page.Of(2), page.Of(9), page.Of(9)}, values)
}
