package verifiers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// hanging lists the transactions that were still open after everything had settled, in the row's output and input: one
// entry a producer id and epoch, with every partition that it holds.
func (e *evidence) hanging() []harness.Hanging {
	type producer struct {
		id    int64
		epoch int32
	}
	found := map[producer]*harness.Hanging{}
	parts := e.out.parts
	if !e.layout.ProducerOnly {
		parts = slices.Concat(parts, e.in.parts)
	}
	for _, p := range parts {
		for _, o := range p.stillOpen() {
			at := producer{o.ProducerID, o.ProducerEpoch}
			h := found[at]
			if h == nil {
				h = &harness.Hanging{Pipeline: e.layout.Name, Coordinator: -1, TxnRef: harness.TxnRef{ProducerID: o.ProducerID, ProducerEpoch: o.ProducerEpoch, Decided: "open"}}
				found[at] = h
			}
			e.addOpen(h, p, o)
		}
	}
	all := make([]harness.Hanging, 0, len(found))
	for _, h := range found {
		all = append(all, *h)
	}
	slices.SortFunc(all, func(a, b harness.Hanging) int {
		return cmp.Or(cmp.Compare(a.ProducerID, b.ProducerID), cmp.Compare(a.ProducerEpoch, b.ProducerEpoch))
	})
	return all
}

// stillOpen are a partition's open transactions: by the brokers' word where there is one, by the log otherwise.
func (p *partLog) stillOpen() []observation.OpenTxn {
	if len(p.info.Open) > 0 {
		return p.info.Open
	}
	return p.open
}

func (e *evidence) addOpen(h *harness.Hanging, p *partLog, o observation.OpenTxn) {
	if o.TransactionalID != "" {
		h.TransactionalID, h.State, h.Coordinator = o.TransactionalID, o.State, o.Coordinator
		h.Timeout = time.Duration(o.TimeoutMillis) * time.Millisecond
	}
	if began := cmp.Or(max(o.StartMillis, 0), o.LastTimestamp); o.AskedMillis > 0 && began > 0 {
		h.Age = max(h.Age, time.Duration(o.AskedMillis-began)*time.Millisecond)
	}
	here := harness.HangingInPart{
		Topic: p.at.topic, Partition: p.at.partition, Start: o.Start, Hidden: uint64(max(0, p.info.HW-o.Start)),
	}
	h.Partitions = append(h.Partitions, here)
	h.Abort = append(h.Abort, fmt.Sprintf("kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition %d --start-offset %d",
		e.bootstrap(), p.at.topic, p.at.partition, o.Start))
	silent := time.Duration(0)
	if o.AskedMillis > 0 && o.LastTimestamp > 0 {
		silent = time.Duration(o.AskedMillis-o.LastTimestamp) * time.Millisecond
	}
	h.AbortByChaeos = append(h.AbortByChaeos, here.AbortByChaeos(silent))
}

// toEnd are the commands that would end a hanging transaction, in both ways.
func toEnd(h *harness.Hanging) string {
	return strings.Join(h.Abort, " && ") + "; or, where chaeos has left the cluster up: " + strings.Join(h.AbortByChaeos, " && ")
}

func (e *evidence) bootstrap() string {
	if len(e.run.record.Cluster.Bootstrap) == 0 {
		return "BROKER:PORT"
	}
	return e.run.record.Cluster.Bootstrap[0]
}

// checkHanging counts the transactions that never ended, and says how each could be ended.
func checkHanging(e *evidence, n *harness.Numbers) []finding {
	n.Hanging = uint64(len(e.open))
	if n.Hanging == 0 {
		return nil
	}
	var texts []string
	var anomalies []harness.Anomaly
	for i := range e.open {
		text := describeHanging(&e.open[i])
		texts = append(texts, text)
		anomalies = append(anomalies, harness.Anomaly{Kind: harness.AnomalyHanging, Txn: &e.open[i].TxnRef, Text: text + "; to end it: " + toEnd(&e.open[i])})
	}
	found := with(doubt("%s transactions are still open: %s", number(n.Hanging), strings.Join(texts[:min(len(texts), maxExamples)], "; ")), anomalies)
	for i := range e.open[:min(len(e.open), maxExamples)] {
		found = append(found, note("to end the transaction of producer id %d: %s", e.open[i].ProducerID, toEnd(&e.open[i]))...)
	}
	return found
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
