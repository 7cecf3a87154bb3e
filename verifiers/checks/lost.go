package verifiers

import (
	"cmp"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// checkLost counts inputs that are not visible though their position was passed (or, where the source is under test,
// though they were acknowledged), by cause.
func checkLost(e *facts, n *harness.Numbers) []finding {
	n.Lost = e.lost.Len()
	var found []finding
	for _, text := range e.losses.notes {
		found = append(found, note("%s", text)...)
	}
	if n.Lost == 0 {
		return found
	}
	n.LostBy = e.losses.by
	what := "committed inputs have no visible output"
	if e.layout.ProducerOnly {
		what = "acknowledged records are not in the log"
		if e.source.sent.Len() > 0 {
			what = "sent records are not in the log"
		}
	}
	var sum uint64
	for _, c := range n.LostBy {
		sum += c
	}
	if sum != n.Lost {
		return append(found, internal("the causes of losses add up to %d, losses are %d", sum, n.Lost)...)
	}
	var examples []string
	for _, a := range e.losses.anomalies[:min(len(e.losses.anomalies), maxExamples)] {
		examples = append(examples, a.Text)
	}
	found = append(found, breaks(noLoss, "%s of %s %s (%s), e.g. %s", number(n.Lost), number(n.Input), what, counts(n.LostBy), strings.Join(examples, "; "))...)
	return append(with(found, e.losses.anomalies), passedBy(e)...)
}

// passedBy names the commits that went past most lost inputs.
func passedBy(e *facts) (found []finding) {
	most := slices.Clone(e.losses.passes)
	slices.SortStableFunc(most, func(a, b harness.Pass) int { return cmp.Compare(b.Lost, a.Lost) })
	for i, x := range most {
		if i == maxExamples {
			return append(found, note("and %d more commits passed lost inputs", len(most)-i)...)
		}
		found = append(found, note("%s lost inputs were passed by %s: it moved input partition %d from %d to %d at %s",
			number(x.Lost), nameLife(*x.By), x.Partition, x.From, x.Offset, e.since(x.At))...)
	}
	return found
}
