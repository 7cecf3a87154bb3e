package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/words"
)

var lost = kit.Check{
	Name:    "lost",
	About:   "counts inputs that are not visible though their committed offset was passed, or though they were acknowledged, by cause",
	Control: "each 1000th output dropped",
	Numbers: []harness.Number{
		{
			Key: "lost", Header: "LOST", Worst: true,
			Means: "Inputs without an output in a log that was read to its end, although they were passed; if the source is under test,\n" +
				"although they were acknowledged. By cause:\n\n" +
				"- *acked but absent*: a broker confirmed it, and nothing shows that it was ever in the log;\n" +
				"- *sent but absent*: sent with acks=0, where nothing is ever confirmed;\n" +
				"- *given up*: below a share group's start although no member ever acknowledged it: it was delivered as often as the\n" +
				"  brokers allow (`group.share.delivery.count.limit`);\n" +
				"- *skipped*: the commit passed it, and no output of it was ever confirmed to a worker. The note names the commits;\n" +
				"- *truncated*: it was in the log, and records of a newer leader epoch took its place. Proof is a live reader that got\n" +
				"  it, a sample of a high watermark or of a leader's log end above it, an acknowledgement that came while a broker led in\n" +
				"  an epoch whose batches are not at the acknowledged offset now, or a record in its place that was sent after the\n" +
				"  acknowledgement. The note names the leader epochs on both sides;\n" +
				"- *deleted*: it was below a log start that moved. If a recorded fault moved it, the note names it and nothing is in\n" +
				"  doubt;\n" +
				"- *aborted*: its output was in a transaction that was aborted, and its input offset was committed all the same.",
			Unseen: "in a pipeline's row, which single output was confirmed: workers record confirmed outputs as counts by partition, so causes are split by count, and an example of a partition with several causes has none.",
		},
		{Key: "lostBy", Kind: harness.ByCause, Of: "lost"},
	},
	Begin: kit.Always(finishLost),
}

func finishLost(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	lost := f.Lost.Len()
	n.Set("lost", lost)
	var found []kit.Finding
	for _, text := range f.Losses.Notes {
		found = append(found, kit.Note("%s", text)...)
	}
	if lost == 0 {
		return found
	}
	by := f.Losses.By
	n.Set("lostBy", by)
	if kit.Sum(by) != lost {
		return append(found, kit.Internal("the causes of losses add up to %d, losses are %d", kit.Sum(by), lost)...)
	}
	var examples []string
	for _, a := range f.Losses.Anomalies[:min(len(f.Losses.Anomalies), causes.MaxExamples)] {
		examples = append(examples, a.Text)
	}
	text := fmt.Sprintf("%s of %s %s (%s), e.g. %s",
		words.Number(lost), words.Number(f.InputCount), whatIsLost(f), words.Counts(by), strings.Join(examples, "; "))
	if f.SharedSource() && by[causes.ByDeletion] == lost && deletedByFaults(f) {
		return append(found, kit.With(kit.Note("%s: deleted by the run itself, so no promise is broken", text), f.Losses.Anomalies)...)
	}
	found = append(found, kit.Breaks(kit.NoLoss, "%s", text)...)
	return append(kit.With(found, f.Losses.Anomalies), overtakers(f)...)
}

// deletedByFaults reports whether recorded faults moved every start of the row's log.
func deletedByFaults(f *kit.Facts) bool {
	return !slices.ContainsFunc(f.Out.Parts, func(p *logs.Partition) bool {
		d := causes.DeletionOf(f.Run, p)
		return d != nil && d.Fault == ""
	})
}

func whatIsLost(f *kit.Facts) string {
	switch {
	case !f.SourceUnderTest():
		return "committed inputs have no visible output"
	case f.Source.Sent.Len() > 0:
		return "sent records are not in the log"
	}
	return "acknowledged records are not in the log"
}

// overtakers names the commits that went past most lost inputs.
func overtakers(f *kit.Facts) (found []kit.Finding) {
	most := slices.Clone(f.Losses.Overtaking)
	slices.SortStableFunc(most, func(a, b harness.OvertakingCommit) int { return cmp.Compare(b.Lost, a.Lost) })
	for i, x := range most {
		if i == causes.MaxExamples {
			return append(found, kit.Note("and %d more commits passed lost inputs", len(most)-i)...)
		}
		found = append(found, kit.Note("%s lost inputs were passed by %s: it moved input partition %d from %d to %d at %s",
			words.Number(x.Lost), words.Incarnation(*x.By), x.Partition, x.From, x.Offset, f.Since(x.At))...)
	}
	return found
}
