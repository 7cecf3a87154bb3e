package checks

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/words"
)

var hanging = kit.Check{
	Name:    "hanging",
	About:   "counts the transactions that never ended, and says how each could be ended",
	Control: "a transaction that no coordinator lists",
	Numbers: []harness.Number{
		{
			Key: "hanging", Header: "HANGING", Show: harness.WhenNonZero,
			Means: "Transactions of the row's output or input that were still open after the run's settle phase, with transactional id,\n" +
				"producer id and epoch, age, partitions, coordinator and its state. One that its coordinator still lists as `Ongoing`\n" +
				"ends at its timeout. One that the coordinator has ended, or that no coordinator lists, never ends by itself. `hanging`\n" +
				"in JSON has the `kafka-transactions.sh … abort` commands, one a partition, and the `chaeos inject transaction-abort …`\n" +
				"commands that do the same to a cluster that is still up (`run --keep`). The latter select by silence and not by start\n" +
				"offset, so that younger transactions stay.",
			Unseen: "transactions in other topics.",
		},
	},
	Begin: kit.Always(finishHanging),
}

func finishHanging(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	n.Set("hanging", len(f.Open))
	if len(f.Open) == 0 {
		return nil
	}
	var texts []string
	var anomalies []harness.Anomaly
	for i := range f.Open {
		text := describeHanging(&f.Open[i])
		texts = append(texts, text)
		anomalies = append(anomalies, harness.Anomaly{Kind: harness.AnomalyHanging, Txn: &f.Open[i].TxnRef, Text: text + "; to end it: " + toEnd(&f.Open[i])})
	}
	found := kit.With(kit.Doubt("%s transactions are still open: %s", words.Number(len(f.Open)), strings.Join(texts[:min(len(texts), causes.MaxExamples)], "; ")), anomalies)
	for i := range f.Open[:min(len(f.Open), causes.MaxExamples)] {
		found = append(found, kit.Note("to end the transaction of producer id %d: %s", f.Open[i].ProducerID, toEnd(&f.Open[i]))...)
	}
	return found
}

// toEnd are the commands that would end a hanging transaction, in both ways.
func toEnd(h *harness.Hanging) string {
	commands := strings.Join(h.Abort, " && ") + "; or, where chaeos has left the cluster up: " + strings.Join(h.AbortByChaeos, " && ")
	if h.State == "CompleteCommit" || h.State == "PrepareCommit" {
		return "don't abort it unless its records may be lost: its coordinator has it as committed, so the application may have seen it " +
			"confirmed, and an abort takes these records away from readers. What aborts it all the same: " + commands
	}
	return commands
}

// endsByItself are the states in which a coordinator still has something to do with a transaction.
var endsByItself = map[string]bool{"Ongoing": true, "PrepareCommit": true, "PrepareAbort": true, "PrepareEpochFence": true}

func describeHanging(h *harness.Hanging) string {
	var where []string
	for _, p := range h.Partitions {
		where = append(where, fmt.Sprintf("%s/%d from offset %d", p.Topic, p.Partition, p.Start))
	}
	id := cmp.Or(h.TransactionalID, "an unnamed transactional id")
	text := fmt.Sprintf("%s (producer id %d, epoch %d) in %s", id, h.ProducerID, h.ProducerEpoch, strings.Join(where, " and "))
	if h.Age > 0 {
		text += fmt.Sprintf(", open for %.1fs", h.Age.Seconds())
	}
	switch {
	case endsByItself[h.State]:
		text += fmt.Sprintf(", %s at coordinator %d", h.State, h.Coordinator)
		if h.Timeout > 0 {
			text += fmt.Sprintf(" with a timeout of %.0fs", h.Timeout.Seconds())
		}
	case h.State != "":
		text += fmt.Sprintf(", hanging: its coordinator %d has it as %s and never ends it", h.Coordinator, h.State)
	default:
		text += ", hanging: no coordinator lists it, so nothing ends it"
	}
	return text
}
