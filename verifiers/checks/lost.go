package checks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkLost counts inputs that are not visible though their position was passed (or, where the source is under test,
// though they were acknowledged), by cause.
func checkLost(e *Facts, n *harness.Numbers) []Finding {
	n.Lost = e.Lost.Len()
	var found []Finding
	for _, text := range e.Losses.Notes {
		found = append(found, note("%s", text)...)
	}
	if n.Lost == 0 {
		return found
	}
	n.LostBy = e.Losses.By
	what := "committed inputs have no visible output"
	if e.Layout.ProducerOnly {
		what = "acknowledged records are not in the log"
		if e.Source.Sent.Len() > 0 {
			what = "sent records are not in the log"
		}
	}
	var sum uint64
	for _, c := range n.LostBy {
		sum += c
	}
	if sum != n.Lost {
		return append(found, Internal("the causes of losses add up to %d, losses are %d", sum, n.Lost)...)
	}
	var examples []string
	for _, a := range e.Losses.Anomalies[:min(len(e.Losses.Anomalies), causes.MaxExamples)] {
		examples = append(examples, a.Text)
	}
	found = append(found, Breaks(NoLoss, "%s of %s %s (%s), e.g. %s", words.Number(n.Lost), words.Number(n.Input), what, words.Counts(n.LostBy), strings.Join(examples, "; "))...)
	return append(with(found, e.Losses.Anomalies), passedBy(e)...)
}

// passedBy names the commits that went past most lost inputs.
func passedBy(e *Facts) (found []Finding) {
	most := slices.Clone(e.Losses.Overtaking)
	slices.SortStableFunc(most, func(a, b harness.Pass) int { return cmp.Compare(b.Lost, a.Lost) })
	for i, x := range most {
		if i == causes.MaxExamples {
			return append(found, note("and %d more commits passed lost inputs", len(most)-i)...)
		}
		found = append(found, note("%s lost inputs were passed by %s: it moved input partition %d from %d to %d at %s",
			words.Number(x.Lost), words.Incarnation(*x.By), x.Partition, x.From, x.Offset, e.Since(x.At))...)
	}
	return found
}
