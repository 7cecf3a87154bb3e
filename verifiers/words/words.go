// Package words is how the verifier writes numbers, counts and names for people.
package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Number writes n with a comma before every third digit.
func Number[T ~int | ~int64 | ~uint64](n T) string { return prose.Thousands(n) }

// Counts prints counters by name, sorted.
func Counts(by map[string]uint64) string {
	var all []string
	for name, n := range by {
		all = append(all, fmt.Sprintf("%s %s", name, Number(n)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Incarnation names a worker's incarnation.
func Incarnation(l harness.Incarnation) string {
	name := l.Name
	if name == "" {
		name = fmt.Sprintf("worker %d", l.Worker)
	}
	return fmt.Sprintf("%s (incarnation %d)", name, l.Incarnation)
}

// Transaction names a transaction by its worker's ordinal and by its producer id and epoch.
func Transaction(t *harness.TxnRef) string {
	text := fmt.Sprintf("producer id %d epoch %d", t.ProducerID, t.ProducerEpoch)
	if t.By != nil {
		text = fmt.Sprintf("%d of %s, %s", t.Ordinal, Incarnation(*t.By), text)
	}
	return text
}
