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
		row.TxnOutcome, row.TxnDecided = text(t.Outcome), text(t.Decided)
		row.by(t.By)
	}
	if k := a.Ack; k != nil {
		row.AckedPartition, row.AckedOffset, row.AckedSeconds = ptr(k.Partition), ptr(k.Offset), ptr(c.seconds(k.At))
		row.AckedNow, row.AckedLeader = text(k.Now), known(k.LeaderEpoch)
	}
	if k := a.Commit; k != nil {
		row.PassedPosition, row.PassedSeconds = ptr(k.Offset), ptr(c.seconds(k.At))
		if k.By != nil {
			row.PassedBy = text(k.By.Name)
		}
	}
	row.CutColumns = cutColumns(a)
	if len(a.Copies) == 0 {
		return []AnomalyRow{row}
	}
	var rows []AnomalyRow
	for i, x := range a.Copies {
		rows = append(rows, row.copied(c, i, x))
	}
	return rows
}

func (r AnomalyRow) copied(c clock, i int, x harness.CopyRef) AnomalyRow {
	r.Copy, r.CopyCause = ptr(int32(i)), text(x.Cause)
	r.OutputTopic, r.OutputPartition, r.OutputOffset = ptr(x.Topic), ptr(x.Partition), ptr(x.Offset)
	r.ProducerID, r.ProducerEpoch = ptr(x.ProducerID), ptr(int32(x.ProducerEpoch))
	r.ProducerSeq, r.LeaderEpoch = ptr(x.Sequence), ptr(x.LeaderEpoch)
	r.RereadColumns = rereadColumns(c, x.Reread)
	if x.By != nil {
		r.by(x.By)
		r.Processing, r.Txn = ptr(int64(x.Processing)), ptr(int64(x.Txn))
	}
	return r
}

func (r *AnomalyRow) by(l *harness.Incarnation) {
	if l != nil {
		r.Worker, r.Incarnation = ptr(int32(l.Worker)), ptr(int64(l.Incarnation))
	}
}

func rereadColumns(c clock, x *harness.Reread) (row RereadColumns) {
	if x == nil {
		return row
	}
	row.Reread, row.BeganSeconds, row.BeganAt = ptr(x.Why), ptr(c.seconds(x.Began)), ptr(x.From)
	row.BeforeWorker, row.BeforeIncarnate, row.BeforeKilled = ptr(int32(x.Before.Worker)), ptr(int64(x.Before.Incarnation)), ptr(x.Killed)
	if x.Generation >= 0 {
		row.Generation, row.GivenSeconds = ptr(x.Generation), ptr(c.seconds(x.Assigned))
	}
	if k := x.Committed; k != nil {
		row.BackTo, row.BackToSeconds = ptr(k.Offset), ptr(c.seconds(k.At))
		if k.By != nil {
			row.BackToBy = text(k.By.Name)
		}
	}
	return row
}

func cutColumns(a harness.Anomaly) (row CutColumns) {
	if t := a.Truncation; t != nil {
		row.TruncatedFrom, row.TruncatedTo, row.TruncatedSeenBy, row.TruncatedStable = ptr(t.From), ptr(t.To), ptr(t.SeenBy), ptr(t.Committed)
		row.TruncatedOldEpoch, row.TruncatedNewEpoch = known(t.OldEpoch), known(t.NewEpoch)
	}
	if d := a.Deletion; d != nil {
		row.LogStart, row.LogStartMovedBy = ptr(d.LogStart), text(d.Fault)
	}
	return row
}

// known is nil for -1, which stands for what is not known.
func known(n int32) *int32 {
	if n < 0 {
		return nil
	}
	return &n
}
