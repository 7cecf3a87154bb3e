package results

import (
	"encoding/json"
	"math"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Amount is a figure as a number: a count, or nanoseconds. The latency of what was never delivered is infinite, for which JSON
// has no number: there it is null.
type Amount float64

var infinity = Amount(math.Inf(1))

// infinite is what people see of an infinite latency.
const infinite = "∞"

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(a), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(a))
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Amount) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*a = infinity
		return nil
	}
	return json.Unmarshal(text, (*float64)(a))
}

// amountOf is a row's figure as a number. Words, and what does not apply or was not observed, are none.
func amountOf(c Column, row harness.Row) (amount Amount, is bool) {
	switch v := c.Value(row).(type) {
	case uint64:
		return Amount(v), true
	case time.Duration:
		return Amount(v), true
	default:
		return infinity, harness.IsInfinite(c.Key, row.Numbers)
	}
}

// amountText prints an amount for people.
func amountText(v Amount, isDuration bool) string {
	switch {
	case math.IsInf(float64(v), 0):
		return infinite
	case isDuration:
		return duration(time.Duration(v))
	}
	whole, half := math.Modf(float64(v))
	if half != 0 { // the median of an even number of counts
		return prose.Thousands(uint64(whole)) + ".5"
	}
	return prose.Thousands(uint64(whole))
}
