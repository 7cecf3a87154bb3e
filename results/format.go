package results

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/chaeos/chaeos/harness/prose"
)

// missing is what people see for "does not apply" and "not observed".
const missing = "–"

func format(v any) string {
	switch v := v.(type) {
	case nil:
		return missing
	case uint64:
		return prose.Thousands(v)
	case time.Duration:
		return duration(v)
	default:
		return fmt.Sprint(v)
	}
}

// duration writes d with the two or three digits that a reader compares: 0.4ms, 12ms, 9.3s, 1m31s, 2h05m.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + duration(-d)
	case d == 0:
		return "0ms"
	case d < 50*time.Microsecond:
		return "<0.1ms"
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
	case d.Round(time.Millisecond) < time.Second:
		return fmt.Sprintf("%dms", d.Round(time.Millisecond).Milliseconds())
	case d.Round(100*time.Millisecond) < time.Minute:
		return seconds(d)
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
}

// seconds writes d in seconds with one decimal, however long it is: times on one axis must look alike.
func seconds(d time.Duration) string { return fmt.Sprintf("%.1fs", d.Seconds()) }

// anchor turns a key into the anchor of its heading: noProgress is defined under "No progress".
func anchor(key string) string {
	var b strings.Builder
	for _, r := range key {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
