package evidence

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// StallRow is one standstill of a last stable offset.
type StallRow struct {
	Run             string    `parquet:"run,dict"`
	Pipeline        string    `parquet:"pipeline,dict"`
	Topic           string    `parquet:"topic,dict"`
	Partition       int32     `parquet:"partition"`
	StartSeconds    float64   `parquet:"start_seconds"`
	Start           time.Time `parquet:"start,timestamp(microsecond)"`
	LengthSeconds   float64   `parquet:"length_seconds"`
	Open            bool      `parquet:"open"`
	LSO             int64     `parquet:"lso"`
	HeldBack        int64     `parquet:"held_back"`
	Records         *int64    `parquet:"records"`
	Bytes           *int64    `parquet:"bytes"`
	TransactionalID *string   `parquet:"transactional_id,dict"`
	ProducerID      *int64    `parquet:"producer_id"`
	ProducerEpoch   *int32    `parquet:"producer_epoch"`
	Worker          *int32    `parquet:"worker"`
	Incarnation     *int64    `parquet:"incarnation"`
	Txn             *int64    `parquet:"txn"`
	TxnOutcome      *string   `parquet:"txn_outcome,dict"`
	Coordinator     *int32    `parquet:"coordinator"`
	BeganSeconds    *float64  `parquet:"began_seconds"`
	TimeoutSeconds  *float64  `parquet:"timeout_seconds"`
	OnsetState      *string   `parquet:"onset_state,dict"`
	State           *string   `parquet:"state,dict"`
	StateSeconds    *float64  `parquet:"state_seconds"`
	EndState        *string   `parquet:"end_state,dict"`
	EndStateSeconds *float64  `parquet:"end_state_seconds"`
	EndEpoch        *int32    `parquet:"end_epoch"`
	EndedBy         *string   `parquet:"ended_by,dict"`
	EndedByLife     *string   `parquet:"ended_by_process,dict"`
	MarkerColumns
	Fault  *string  `parquet:"fault,dict"`
	Faults []string `parquet:"faults,list"`
}

// MarkerColumns are the control record that ended a stall's transaction.
type MarkerColumns struct {
	MarkerOffset      *int64   `parquet:"marker_offset"`
	MarkerCommit      *bool    `parquet:"marker_commit"`
	MarkerEpoch       *int32   `parquet:"marker_epoch"`
	MarkerCoordinator *int32   `parquet:"marker_coordinator_epoch"`
	MarkerSeconds     *float64 `parquet:"marker_seconds"`
}

func stallRow(run string, c clock, s harness.Stall) StallRow {
	row := StallRow{
		Run: run, Pipeline: s.Pipeline, Topic: s.Topic, Partition: s.Partition, StartSeconds: c.seconds(history.Time(s.Start)),
		Start: c.wall(history.Time(s.Start)), LengthSeconds: s.Length.Seconds(), Open: s.Open, LSO: s.LSO, HeldBack: s.HeldBack,
		Coordinator: known(s.Coordinator), BeganSeconds: c.recorded(s.Began), EndedBy: text(s.EndedBy), Fault: text(s.Fault), Faults: s.Faults,
		OnsetState: text(s.OnsetState), State: text(s.State), EndState: text(s.EndState), EndEpoch: known(s.EndEpoch),
	}
	if s.Records > 0 {
		row.Records = ptr(int64(s.Records))
	}
	if s.Bytes > 0 {
		row.Bytes = ptr(s.Bytes)
	}
	if s.Timeout > 0 {
		row.TimeoutSeconds = ptr(s.Timeout.Seconds())
	}
	if l := s.EndedByIncarnation; l != nil {
		row.EndedByLife = text(l.Name)
	}
	row.held(s)
	row.states(c, s)
	row.MarkerColumns = markerColumns(c, s.Marker)
	return row
}

// held names the transaction that stood in the way.
func (r *StallRow) held(s harness.Stall) {
	r.TransactionalID = text(s.TransactionalID)
	if s.ProducerID != 0 || s.TransactionalID != "" || s.Txn != nil {
		r.ProducerID, r.ProducerEpoch = ptr(s.ProducerID), ptr(s.ProducerEpoch)
	}
	t := s.Txn
	if t == nil {
		return
	}
	r.TxnOutcome = text(t.Outcome)
	if t.By != nil {
		r.Worker, r.Incarnation = ptr(int32(t.By.Worker)), ptr(int64(t.By.Incarnation))
	}
	if t.Ordinal != 0 {
		r.Txn = ptr(int64(t.Ordinal))
	}
}

// states says when each state was seen.
func (r *StallRow) states(c clock, s harness.Stall) {
	if s.State != "" {
		r.StateSeconds = c.recorded(s.StateAt)
	}
	if s.EndState != "" {
		r.EndStateSeconds = c.recorded(s.EndStateAt)
	}
}

func markerColumns(c clock, m *harness.MarkerRef) (row MarkerColumns) {
	if m == nil {
		return row
	}
	return MarkerColumns{
		MarkerOffset: ptr(m.Offset), MarkerCommit: ptr(m.Commit), MarkerEpoch: ptr(int32(m.ProducerEpoch)),
		MarkerCoordinator: known(m.CoordinatorEpoch), MarkerSeconds: ptr(c.seconds(history.Time(m.At))),
	}
}
