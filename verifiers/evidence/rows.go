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
	AckedPartition  *int32   `parquet:"acked_partition"`
	AckedOffset     *int64   `parquet:"acked_offset"`
	AckedSeconds    *float64 `parquet:"acked_seconds"`
	PassedBy        *string  `parquet:"passed_by,dict"`
	PassedPosition  *int64   `parquet:"passed_position"`
	PassedSeconds   *float64 `parquet:"passed_seconds"`
	Text            string   `parquet:"text"`
}

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
	TransactionalID *string   `parquet:"transactional_id,dict"`
	ProducerID      *int64    `parquet:"producer_id"`
	State           *string   `parquet:"state,dict"`
	Fault           *string   `parquet:"fault,dict"`
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

// FaultRow is one fault as it concerned one pipeline; a fault whose bites were not measured has one row without one.
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
