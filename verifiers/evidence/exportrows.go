package evidence

import "time"

// HistoryRow is one history entry, or one element of an entry that holds a list. Columns that its kind lacks are null.
type HistoryRow struct {
	Process         string    `parquet:"process,dict"`
	Role            string    `parquet:"role,dict"`
	Pipeline        string    `parquet:"pipeline,dict"`
	Number          int32     `parquet:"number"`
	Incarnation     int32     `parquet:"incarnation"`
	Entry           int64     `parquet:"entry"`
	Kind            string    `parquet:"kind,dict"`
	Seconds         float64   `parquet:"seconds"`
	Time            time.Time `parquet:"time,timestamp(microsecond)"`
	Topic           *string   `parquet:"topic,dict"`
	Partition       *int64    `parquet:"partition"`
	Offset          *int64    `parquet:"offset"`
	From            *int64    `parquet:"from"`
	To              *int64    `parquet:"to"`
	First           *int64    `parquet:"first"`
	Stride          *int64    `parquet:"stride"`
	Count           *int64    `parquet:"count"`
	New             *int64    `parquet:"new"`
	Processing      *int64    `parquet:"processing"`
	Txn             *int64    `parquet:"txn"`
	Outcome         *string   `parquet:"outcome,dict"`
	Commit          *bool     `parquet:"commit"`
	Sent            *bool     `parquet:"sent"`
	Lost            *bool     `parquet:"lost"`
	Reason          *string   `parquet:"reason,dict"`
	Generation      *int64    `parquet:"generation"`
	Held            *int64    `parquet:"held"`
	Name            *string   `parquet:"name,dict"`
	Text            *string   `parquet:"text"`
	Pid             *int64    `parquet:"pid"`
	Broker          *int64    `parquet:"broker"`
	Leader          *int64    `parquet:"leader"`
	LeaderEpoch     *int64    `parquet:"leader_epoch"`
	ISR             *string   `parquet:"isr,dict"`
	LSO             *int64    `parquet:"lso"`
	HW              *int64    `parquet:"hw"`
	End             *int64    `parquet:"end"`
	ProducerID      *int64    `parquet:"producer_id"`
	ProducerEpoch   *int64    `parquet:"producer_epoch"`
	TransactionalID *string   `parquet:"transactional_id,dict"`
	State           *string   `parquet:"state,dict"`
	Coordinator     *int64    `parquet:"coordinator"`
	TimeoutMillis   *int64    `parquet:"timeout_millis"`
	StartMillis     *int64    `parquet:"start_millis"`
	AskedSeconds    *float64  `parquet:"asked_seconds"`
	Error           *string   `parquet:"error,dict"`
	HDR             []byte    `parquet:"hdr,optional"`
}

// BatchRow is one record batch of a log.
type BatchRow struct {
	Topic            string    `parquet:"topic,dict"`
	Partition        int32     `parquet:"partition"`
	FirstOffset      int64     `parquet:"first_offset"`
	LastOffset       int64     `parquet:"last_offset"`
	Records          int32     `parquet:"records"`
	Bytes            int32     `parquet:"bytes"`
	ProducerID       int64     `parquet:"producer_id"`
	ProducerEpoch    int32     `parquet:"producer_epoch"`
	BaseSequence     int32     `parquet:"base_sequence"`
	LeaderEpoch      int32     `parquet:"leader_epoch"`
	MaxTimestamp     time.Time `parquet:"max_timestamp,timestamp(microsecond)"`
	Transactional    bool      `parquet:"transactional"`
	Control          bool      `parquet:"control"`
	Marker           *string   `parquet:"marker,dict"`
	CoordinatorEpoch *int32    `parquet:"coordinator_epoch"`
	Damaged          bool      `parquet:"damaged"`
	Standing         string    `parquet:"standing,dict"`
}

// RecordRow is one record of a log.
type RecordRow struct {
	Topic            string   `parquet:"topic,dict"`
	Partition        int32    `parquet:"partition"`
	Offset           int64    `parquet:"offset"`
	Status           string   `parquet:"status,dict"`
	Standing         string   `parquet:"standing,dict"`
	Source           *int32   `parquet:"source"`
	Sequence         *int64   `parquet:"sequence"`
	ScheduledSeconds *float64 `parquet:"scheduled_seconds"`
	InputPartition   *int32   `parquet:"input_partition"`
	InputOffset      *int64   `parquet:"input_offset"`
	Worker           *int32   `parquet:"worker"`
	Incarnation      *int64   `parquet:"incarnation"`
	Processing       *int64   `parquet:"processing"`
	Txn              *int64   `parquet:"txn"`
	ProducerID       int64    `parquet:"producer_id"`
	ProducerEpoch    int32    `parquet:"producer_epoch"`
	ProducerSeq      int32    `parquet:"producer_sequence"`
	LeaderEpoch      int32    `parquet:"leader_epoch"`
}
