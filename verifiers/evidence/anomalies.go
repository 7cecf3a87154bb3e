package evidence

import "github.com/chaeos/chaeos/harness"

// anomalyRows is a row a copy, or one row.
func anomalyRows(run string, c clock, a harness.Anomaly) []AnomalyRow {
	row := AnomalyRow{Run: run, Pipeline: a.Pipeline, Kind: string(a.Kind), Cause: text(a.Cause), Text: a.Text}
	if r := a.Record; r != nil {
		row.Source, row.Sequence = ptr(int32(r.Source)), ptr(int64(r.Sequence))
		if r.Topic != "" && r.Offset >= 0 {
			row.InputTopic, row.InputPartition, row.InputOffset = ptr(r.Topic), ptr(r.Partition), ptr(r.Offset)
		}
	}
	if t := a.Txn; t != nil {
		row.Txn, row.TransactionalID = ptr(int64(t.Ordinal)), text(t.TransactionalID)
		row.ProducerID, row.ProducerEpoch = ptr(t.ProducerID), ptr(t.ProducerEpoch)
		row.by(t.By)
	}
	if k := a.Ack; k != nil {
		row.AckedPartition, row.AckedOffset, row.AckedSeconds = ptr(k.Partition), ptr(k.Offset), ptr(c.seconds(k.At))
	}
	if k := a.Commit; k != nil {
		row.PassedPosition, row.PassedSeconds = ptr(k.Offset), ptr(c.seconds(k.At))
		if k.By != nil {
			row.PassedBy = text(k.By.Name)
		}
	}
	if len(a.Copies) == 0 {
		return []AnomalyRow{row}
	}
	var rows []AnomalyRow
	for i, x := range a.Copies {
		rows = append(rows, row.copied(i, x))
	}
	return rows
}

func (r AnomalyRow) copied(i int, x harness.CopyRef) AnomalyRow {
	r.Copy, r.CopyCause = ptr(int32(i)), text(x.Cause)
	r.OutputTopic, r.OutputPartition, r.OutputOffset = ptr(x.Topic), ptr(x.Partition), ptr(x.Offset)
	r.ProducerID, r.ProducerEpoch = ptr(x.ProducerID), ptr(int32(x.ProducerEpoch))
	r.ProducerSeq, r.LeaderEpoch = ptr(x.Sequence), ptr(x.LeaderEpoch)
	if x.By != nil {
		r.by(x.By)
		r.Processing, r.Txn = ptr(int64(x.Processing)), ptr(int64(x.Txn))
	}
	return r
}

func (r *AnomalyRow) by(l *harness.Life) {
	if l != nil {
		r.Worker, r.Incarnation = ptr(int32(l.Worker)), ptr(int64(l.Incarnation))
	}
}
