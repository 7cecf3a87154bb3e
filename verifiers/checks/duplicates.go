package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
	"github.com/chaeos/chaeos/verifiers/words"
)

var duplicates = kit.Check{
	Name:    "duplicates",
	About:   "counts visible copies beyond the first of each input, by cause",
	Control: "each 1000th output doubled by another incarnation",
	Numbers: []harness.Number{
		{
			Key: "duplicates", Header: "DUPLICATES", Worst: true,
			Means: "Visible outputs beyond the first of each input, by cause:\n\n" +
				"- *broker*: the same producer id, epoch and record sequence stored twice in a partition;\n" +
				"- *resend without producer id*, *resend across producer ids*, *resend under one producer id*: one processing of a record\n" +
				"  (the same worker, incarnation and processing ordinal; the same sequence if the source is under test) stored several\n" +
				"  times. The three differ in what the broker could know of it: nothing; nothing, because id or epoch are others; the\n" +
				"  same id and epoch but a new sequence, so the client sent it as a new record;\n" +
				"- *called again*: the external service was called several times for one processing of a record, and stored each call;\n" +
				"- *reprocessed after restart*, *reprocessed after rebalance*, *reprocessed after rewind*: processed twice, because the\n" +
				"  partition was read again from a lower offset by a new incarnation of the same worker; by another worker, or the same\n" +
				"  one after a new assignment; or by the same worker by itself. Each copy is compared with the one before it. The note\n" +
				"  under the table names the assignment and its generation, where it began, and the commit that it went back to;\n" +
				"- *reprocessed after redelivery*: a share group's brokers delivered the record again. The note names who had it and who\n" +
				"  got it, the brokers' own count of deliveries, and what became of the delivery before. Its member *died* or *left* the\n" +
				"  group with the record in hand. Or its lock *expired* (`group.share.record.lock.duration.ms`, 30 s by default). Or its\n" +
				"  acknowledgement was *refused*, and with which answer. Or it was *acknowledged* and confirmed, and delivered all the\n" +
				"  same. Or it was *lost*: none of these, so the brokers forgot the delivery, as a partition's next leader does;\n" +
				"- *reprocessed*: processed twice, and no history shows why.",
			Unseen: "copies that were aborted or hidden (no reader gets them), and which of two copies a user would call the first.",
		},
		{
			Key: "duplicatedInputs", Header: "DUPLICATED INPUTS", Show: harness.DataOnly,
			Means:  "Inputs with more than one visible output.",
			Unseen: "how far apart in time the copies are.",
		},
		{Key: "duplicatesBy", Kind: harness.ByCause, Of: "duplicates"},
	},
	Begin: func(*rows.Subject) kit.Counting { return &duplicateCount{} },
}

// duplicateCount counts visible copies; inputs with a visible copy are known anyway.
type duplicateCount struct{ copies []*visibleCopies }

// Output implements OutputReader.
func (c *duplicateCount) Output(*logs.Partition) logs.Reader {
	r := new(visibleCopies)
	c.copies = append(c.copies, r)
	return r
}

type visibleCopies uint64

// Batch implements logs.Reader.
func (v *visibleCopies) Batch(b *logs.Batch) {
	if b.Visibility != txns.Visible {
		return
	}
	for i := range b.Pieces {
		if p := &b.Pieces[i]; p.Kind == logs.Sound {
			*v += visibleCopies(p.Count)
		}
	}
}

// Finish implements Counting.
func (c *duplicateCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	extra := -f.Out.Visible.Len()
	for _, v := range c.copies {
		extra += uint64(*v)
	}
	inputs := f.Out.Repeated.Len()
	n.Set("duplicates", extra)
	n.Set("duplicatedInputs", inputs)
	if extra == 0 {
		return nil
	}
	by := f.Copies.By
	n.Set("duplicatesBy", by)
	if kit.Sum(by) != extra {
		return kit.Internal("the causes of duplicates add up to %d, duplicates are %d", kit.Sum(by), extra)
	}
	x := f.Copies.Anomalies[0]
	found := kit.With(kit.Breaks(kit.NoDuplicates, "%s extra copies of %s inputs are visible (%s), e.g. %s at %s",
		words.Number(extra), words.Number(inputs), words.Counts(by), f.RecordName(f.RecordKey(x.Record)), causes.Places(f.Row, x.Copies)), f.Copies.Anomalies)
	for i, x := range f.Copies.Rereads {
		if i == causes.MaxExamples {
			return append(found, kit.Note("and %d more restarts, rebalances, rewinds or redeliveries that doubled records", len(f.Copies.Rereads)-i)...)
		}
		found = append(found, kit.Note("%s", x.Text)...)
	}
	return found
}
