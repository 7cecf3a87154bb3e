package causes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// Hanging lists the transactions that were still open after the settle phase, in the row's output and input: one
// entry a producer id and epoch, with every partition that it holds.
func Hanging(row *rows.Row) []harness.Hanging {
	type producer struct {
		id    int64
		epoch int32
	}
	found := map[producer]*harness.Hanging{}
	parts := slices.Concat(row.Out.Parts, row.Inputs(row.In))
	for _, p := range parts {
		for _, o := range p.StillOpen() {
			at := producer{o.ProducerID, o.ProducerEpoch}
			h := found[at]
			if h == nil {
				h = &harness.Hanging{Pipeline: row.Layout.Name, Coordinator: -1, TxnRef: harness.TxnRef{ProducerID: o.ProducerID, ProducerEpoch: o.ProducerEpoch, Decided: "open"}}
				found[at] = h
			}
			addOpen(row, h, p, o)
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

func addOpen(row *rows.Row, h *harness.Hanging, p *logs.Partition, o observation.OpenTxn) {
	if o.TransactionalID != "" {
		h.TransactionalID, h.State, h.Coordinator = o.TransactionalID, o.State, o.Coordinator
		h.Timeout = time.Duration(o.TimeoutMillis) * time.Millisecond
	}
	if began := cmp.Or(max(o.StartMillis, 0), o.LastTimestamp); o.AskedMillis > 0 && began > 0 {
		h.Age = max(h.Age, time.Duration(o.AskedMillis-began)*time.Millisecond)
	}
	here := harness.HangingInPart{
		Topic: p.At.Topic, Partition: p.At.Partition, Start: o.Start, Hidden: uint64(max(0, p.Info.HW-o.Start)),
	}
	h.Partitions = append(h.Partitions, here)
	h.Abort = append(h.Abort, fmt.Sprintf("kafka-transactions.sh --bootstrap-server %s abort --topic %s --partition %d --start-offset %d",
		bootstrap(row), p.At.Topic, p.At.Partition, o.Start))
	silent := time.Duration(0)
	if o.AskedMillis > 0 && o.LastTimestamp > 0 {
		silent = time.Duration(o.AskedMillis-o.LastTimestamp) * time.Millisecond
	}
	h.AbortByChaeos = append(h.AbortByChaeos, here.AbortByChaeos(silent))
}

func bootstrap(row *rows.Row) string {
	if len(row.Run.Record.Cluster.Bootstrap) == 0 {
		return "BROKER:PORT"
	}
	return row.Run.Record.Cluster.Bootstrap[0]
}
