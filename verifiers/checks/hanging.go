package checks

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/words"
)

// checkHanging counts the transactions that never ended, and says how each could be ended.
func checkHanging(e *Facts, n *harness.Numbers) []Finding {
	n.Hanging = uint64(len(e.Open))
	if n.Hanging == 0 {
		return nil
	}
	var texts []string
	var anomalies []harness.Anomaly
	for i := range e.Open {
		text := describeHanging(&e.Open[i])
		texts = append(texts, text)
		anomalies = append(anomalies, harness.Anomaly{Kind: harness.AnomalyHanging, Txn: &e.Open[i].TxnRef, Text: text + "; to end it: " + toEnd(&e.Open[i])})
	}
	found := with(doubt("%s transactions are still open: %s", words.Number(n.Hanging), strings.Join(texts[:min(len(texts), causes.MaxExamples)], "; ")), anomalies)
	for i := range e.Open[:min(len(e.Open), causes.MaxExamples)] {
		found = append(found, note("to end the transaction of producer id %d: %s", e.Open[i].ProducerID, toEnd(&e.Open[i]))...)
	}
	return found
}

// toEnd are the commands that would end a hanging transaction, in both ways.
func toEnd(h *harness.Hanging) string {
	return strings.Join(h.Abort, " && ") + "; or, where chaeos has left the cluster up: " + strings.Join(h.AbortByChaeos, " && ")
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
		text += ", hanging: no coordinator lists it, so nobody ends it"
	}
	return text
}
