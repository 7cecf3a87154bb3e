package checks

import (
	"cmp"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var completeness = kit.Check{
	Name:    "completeness",
	About:   "doubts a row whose logs were not read to their ends, moved while they were read, or begin above 0 without a fault that moved them there, or hold outputs of a worker without a history; and one with committed offsets beyond its input",
	Control: "an incomplete read-back",
	Begin:   kit.Always(finishCompleteness),
}

func finishCompleteness(f *kit.Facts, _ *harness.Numbers) []kit.Finding {
	parts := slices.Concat(f.Inputs(f.In), f.Out.Parts)
	var found []kit.Finding
	for _, p := range parts {
		for _, text := range p.Doubts {
			found = append(found, kit.Doubt("%s", text)...)
		}
		switch d := causes.DeletionOf(f.Run, p); {
		case d == nil:
		case d.Fault == "":
			found = append(found, kit.Doubt("%s", causes.DescribeDeletion(d))...)
		default:
			found = append(found, kit.Note("%s", causes.DescribeDeletion(d))...)
		}
	}
	found = append(found, silentWriters(f)...)
	found = append(found, beyondInput(f)...)
	return append(found, sampled(parts)...)
}

// beyondInput finds committed offsets above the input's end: the records that come there next would be skipped. What a
// truncation took explains them.
func beyondInput(f *kit.Facts) (found []kit.Finding) {
	for _, p := range f.Inputs(f.In) {
		offset := f.Passed[p.Number]
		if p.Whole && offset > p.End && !causes.Truncated(f.Run, p)(offset-1) {
			found = append(found, kit.Doubt("the committed offset of input partition %d is %d, beyond its log's end %d", p.Number, offset, p.End)...)
		}
	}
	return found
}

// silentWriters finds incarnations that wrote outputs and left no history.
func silentWriters(f *kit.Facts) []kit.Finding {
	silent := map[txns.Incarnation]bool{}
	for i := range f.Out.Incarnations {
		silent[i] = true
	}
	for b := range f.Out.Sums.ByBlock {
		silent[b.Incarnation] = true
	}
	for _, w := range f.Workers {
		delete(silent, w.Incarnation)
	}
	if len(silent) == 0 || f.SourceUnderTest() {
		return nil
	}
	first := slices.MinFunc(slices.Collect(maps.Keys(silent)), func(a, b txns.Incarnation) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number))
	})
	return kit.Doubt("%d incarnations wrote outputs and left no history, e.g. incarnation %d of worker %d", len(silent), first.Number, first.Worker)
}

// sampled says how much of the logs a read_committed client was not asked for.
func sampled(parts []*logs.Partition) []kit.Finding {
	var checked, committed uint64
	for _, p := range parts {
		if len(p.Info.Checked) > 0 && p.Info.ClientErr == "" {
			checked, committed = checked+p.Checked, committed+p.Info.Committed.Count
		}
	}
	if checked == committed {
		return nil
	}
	return kit.Note("a read_committed client was asked for %s of %s committed records, the ends and aborted transactions first: that it would see the others rests on the log's markers",
		words.Number(checked), words.Number(committed))
}
