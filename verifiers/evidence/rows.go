package evidence

import "time"

// AnomalyRow is one copy of an anomaly, or the anomaly itself where it has no copy.
type AnomalyRow struct {
	Run             string   `parquet:"run,dict"`
	Pipeline        string   `parquet:"pipeline,dict"`
	Kind            string   `parquet:"kind,dict"`
	Cause           *string  `parquet:"cause,dict"`
	Source          *int32   `parquet:"source"`
	Sequence        *int64   `parquet:"sequence"`
	InputTopic      *string  `parquet:"input_topic,dict"`
	InputPartition  *int32   `parquet:"input_partition"`
	InputOffset     *int64   `parquet:"input_offset"`
	Copy            *int32   `parquet:"copy"`
	CopyCause       *string  `parquet:"copy_cause,dict"`
	OutputTopic     *string  `parquet:"output_topic,dict"`
	OutputPartition *int32   `parquet:"output_partition"`
	OutputOffset    *int64   `parquet:"output_offset"`
	ProducerID      *int64   `parquet:"producer_id"`
	ProducerEpoch   *int32   `parquet:"producer_epoch"`
	ProducerSeq     *int32   `parquet:"producer_sequence"`
	LeaderEpoch     *int32   `parquet:"leader_epoch"`
	Worker          *int32   `parquet:"worker"`
	Incarnation     *int64   `parquet:"incarnation"`
	Processing      *int64   `parquet:"processing"`
	Txn             *int64   `parquet:"txn"`
	TransactionalID *string  `parquet:"transactional_id,dict"`
	TxnOutcome      *string  `parquet:"txn_outcome,dict"`
	TxnDecided      *string  `parquet:"txn_decided,dict"`
	AckedPartition  *int32   `parquet:"acked_partition"`
	AckedOffset     *int64   `parquet:"acked_offset"`
	AckedSeconds    *float64 `parquet:"acked_seconds"`
	AckedNow        *string  `parquet:"acked_holder"`
	AckedLeader     *int32   `parquet:"acked_leader_epoch"`
	PassedBy        *string  `parquet:"passed_by,dict"`
	PassedPosition  *int64   `parquet:"passed_position"`
	PassedSeconds   *float64 `parquet:"passed_seconds"`
	RereadColumns
	CutColumns
	Text string `parquet:"text"`
}

// RereadColumns are what a copy's second delivery came of.
type RereadColumns struct {
	Reread          *string  `parquet:"reread,dict"`
	Generation      *int32   `parquet:"generation"`
	GivenSeconds    *float64 `parquet:"given_seconds"`
	BeganSeconds    *float64 `parquet:"began_seconds"`
	BeganAt         *int64   `parquet:"began_at"`
	BackTo          *int64   `parquet:"back_to"`
	BackToBy        *string  `parquet:"back_to_by,dict"`
	BackToSeconds   *float64 `parquet:"back_to_seconds"`
	BeforeWorker    *int32   `parquet:"before_worker"`
	BeforeIncarnate *int64   `parquet:"before_incarnation"`
	BeforeKilled    *bool    `parquet:"before_killed"`
}

// CutColumns are the range of the log that was cut off under a lost record, and the log start that moved past it.
type CutColumns struct {
	TruncatedFrom     *int64  `parquet:"truncated_from"`
	TruncatedTo       *int64  `parquet:"truncated_to"`
	TruncatedOldEpoch *int32  `parquet:"truncated_old_epoch"`
	TruncatedNewEpoch *int32  `parquet:"truncated_new_epoch"`
	TruncatedSeenBy   *string `parquet:"truncated_seen_by,dict"`
	TruncatedStable   *bool   `parquet:"truncated_committed"`
	LogStart          *int64  `parquet:"log_start"`
	LogStartMovedBy   *string `parquet:"log_start_moved_by,dict"`
}

// TimelineRow is 100 ms of one output partition.
type TimelineRow struct {
	Run          string    `parquet:"run,dict"`
	Pipeline     string    `parquet:"pipeline,dict"`
	Partition    int32     `parquet:"partition"`
	Seconds      float64   `parquet:"seconds"`
	Time         time.Time `parquet:"time,timestamp(microsecond)"`
	Acked        int64     `parquet:"acked"`
	Visible      int64     `parquet:"visible"`
	LagMin       int64     `parquet:"lag_min"`
	LagMax       int64     `parquet:"lag_max"`
	StableLagMin *int64    `parquet:"stable_lag_min"`
	StableLagMax *int64    `parquet:"stable_lag_max"`
	Delivered    int64     `parquet:"delivered"`
	LatencyMin   *float64  `parquet:"latency_min"`
	LatencyP50   *float64  `parquet:"latency_p50"`
	LatencyP99   *float64  `parquet:"latency_p99"`
	LatencyMax   *float64  `parquet:"latency_max"`
}

// FaultRow is one fault as it concerned one pipeline; a fault whose proofs were not measured has one row without one.
type FaultRow struct {
	Run             string     `parquet:"run,dict"`
	Number          int32      `parquet:"number"`
	Fault           string     `parquet:"fault,dict"`
	Target          string     `parquet:"target,dict"`
	Options         *string    `parquet:"options,dict"`
	Label           *string    `parquet:"label,dict"`
	InjectedSeconds *float64   `parquet:"injected_seconds"`
	HealedSeconds   *float64   `parquet:"healed_seconds"`
	Injected        *time.Time `parquet:"injected,timestamp(microsecond)"`
	Healed          *time.Time `parquet:"healed,timestamp(microsecond)"`
	Resolved        string     `parquet:"resolved"`
	Brokers         []int32    `parquet:"brokers,list"`
	Members         []string   `parquet:"members,list"`
	Partitions      []int32    `parquet:"partitions,list"`
	Effect          *string    `parquet:"effect"`
	HealProof       *string    `parquet:"heal_proof"`
	Error           *string    `parquet:"error"`
	Pipeline        *string    `parquet:"pipeline,dict"`
	Bit             *bool      `parquet:"bit"`
	Proof           *string    `parquet:"proof"`
	InFlight        *int64     `parquet:"in_flight"`
}
