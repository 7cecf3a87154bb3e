package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/words"
)

var epochsBack = kit.Check{
	Name:    "epochs-back",
	About:   "counts batches whose leader epoch is older than that of a batch before them in the same log",
	Control: "a batch of an older leader epoch",
	Numbers: []harness.Number{
		{
			Key: "epochsBack", Header: "EPOCHS BACK", Show: harness.WhenNonZero,
			Means: "Batches of the row's output and input whose leader epoch is older than that of a batch before them. A leader writes its own\n" +
				"epoch into each batch that it appends, and epochs only go up: such a log is no single log. No guarantee holds on it.",
			Unseen: "the replicas of which it is made.",
		},
	},
	Begin: kit.Always(finishEpochsBack),
}

func finishEpochsBack(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	var all uint64
	for _, p := range slices.Concat(f.Inputs(f.In), f.Out.Parts) {
		back := p.EpochsBack
		if all += back.Batches; back.Batches > 0 {
			found = append(found, kit.Breaks(kit.Everything, "%s/%d: %s batches are of an older leader epoch than a batch before them, first at offset %d: epoch %d after epoch %d",
				p.At.Topic, p.At.Partition, words.Number(back.Batches), back.Offset, back.Epoch, back.Newer)...)
		}
	}
	n.Set("epochsBack", all)
	return found
}
