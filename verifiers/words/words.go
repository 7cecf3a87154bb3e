package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Number writes n with its thousands apart.
func Number[T ~int | ~int64 | ~uint64](n T) string { return prose.Thousands(n) }

// nameLife is how people read a worker's life.
func Incarnation(l harness.Life) string {
	name := l.Name
	if name == "" {
		name = fmt.Sprintf("worker %d", l.Worker)
	}
	return fmt.Sprintf("%s (incarnation %d)", name, l.Incarnation)
}

// nameTxn is how people read a transaction.
func Transaction(t *harness.TxnRef) string {
	text := fmt.Sprintf("producer id %d epoch %d", t.ProducerID, t.ProducerEpoch)
	if t.By != nil {
		text = fmt.Sprintf("%d of %s, %s", t.Ordinal, Incarnation(*t.By), text)
	}
	return text
}

// counts prints counters by name, sorted.
func Counts(by map[string]uint64) string {
	var all []string
	for name, n := range by {
		all = append(all, fmt.Sprintf("%s %s", name, Number(n)))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
