package page

import "math"

// Points is how many points a series has at most: about as many as a wide screen has columns.
const Points = 1600

// Thin reduces series over the same times to at most limit points. Each group of neighbours gives its smallest and its
// largest value, in the order in which they came, so that no spike is hidden. A group without a value gives none.
func Thin(times []float64, limit int, series ...*[]Value) []float64 {
	if len(times) <= limit || limit < 2 {
		return times
	}
	size := (2*len(times) + limit - 1) / limit
	var thin []float64
	for from := 0; from < len(times); from += size {
		to := min(from+size, len(times))
		thin = append(thin, times[from], times[from+(to-from)/2])
	}
	for _, s := range series {
		*s = thinned(*s, size)
	}
	return thin
}

func thinned(values []Value, size int) []Value {
	var out []Value
	for from := 0; from < len(values); from += size {
		low, high := extremes(values[from:min(from+size, len(values))])
		out = append(out, low, high)
	}
	return out
}

// extremes are the smallest and the largest value, the earlier one first.
func extremes(values []Value) (first, second Value) {
	low, high := -1, -1
	for i, v := range values {
		if v == nil {
			continue
		}
		if low < 0 || *v < *values[low] {
			low = i
		}
		if high < 0 || *v > *values[high] {
			high = i
		}
	}
	switch {
	case low < 0:
		return nil, nil
	case low <= high:
		return values[low], values[high]
	default:
		return values[high], values[low]
	}
}

// Of is a point of a series, rounded to what a reader can see.
func Of(v float64) Value {
	v = math.Round(v*1000) / 1000
	return &v
}
