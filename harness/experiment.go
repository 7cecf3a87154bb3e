package harness

import (
	"fmt"
	"slices"
	"time"
)

// Experiment is a named, repeatable test: load, pipelines, faults and what is expected of them.
type Experiment struct {
	Name    string
	Summary string
	// About is what the experiment shows, and why, in a few sentences.
	About     string
	Pipelines []string
	Load      Load
	// Workers is the number of worker processes of each consume–process–produce pipeline.
	Workers int
	// Shared are the client settings all pipelines have in common.
	Shared Shared
	// Options are settings of single pipelines that differ from their defaults, by pipeline and option.
	Options map[string]map[string]string
	// Cluster is what the experiment needs of its cluster.
	Cluster ClusterNeeds
	Faults  []ScheduledFault
	// Expect is what must come out, by pipeline and guarantee. A claim that is not named must hold.
	Expect map[string]map[Guarantee]Expectation
	// Limits are what is expected of figures, by pipeline.
	Limits map[string][]Limit
	Bounds Bounds
	// Source is the YAML the experiment was read from.
	Source string
}

// What a load may be, in an experiment's file and on the command line: the rate in records a second.
const (
	MinRate     = 0.1
	MaxRate     = 1e6
	MinDuration = time.Second
	MaxDuration = 24 * time.Hour
)

// Load is what the sources send.
type Load struct {
	// Rate is the steady pace of each source, in records a second.
	Rate float64
	// Duration is how long the sources send, from the end of the warm phase.
	Duration time.Duration
	// RecordSize is a record value's size in bytes.
	RecordSize int
	// Burst records are scheduled at once each BurstEvery, on top of the steady pace (0: none).
	Burst      int
	BurstEvery time.Duration
}

// Shared are the client settings that every row of the table has in common, unless it declares a deviation.
type Shared struct {
	Work               time.Duration `json:"work"`
	SessionTimeout     time.Duration `json:"sessionTimeout"`
	TransactionTimeout time.Duration `json:"transactionTimeout"`
	MaxPollRecords     int           `json:"maxPollRecords"`
	Linger             time.Duration `json:"linger"`
	MetadataMaxAge     time.Duration `json:"metadataMaxAge"`
	MetadataMinAge     time.Duration `json:"metadataMinAge"`
	AutoCommitInterval time.Duration `json:"autoCommitInterval"`
}

// DefaultShared are the shared settings unless an experiment changes them.
func DefaultShared() Shared {
	return Shared{
		Work:               2 * time.Millisecond,
		SessionTimeout:     6 * time.Second,
		TransactionTimeout: 15 * time.Second,
		MaxPollRecords:     100,
		Linger:             20 * time.Millisecond,
		MetadataMaxAge:     time.Second,
		MetadataMinAge:     100 * time.Millisecond,
		AutoCommitInterval: time.Second,
	}
}

// ClusterNeeds is the part of an experiment that shapes the cluster.
type ClusterNeeds struct {
	Topology Topology
	// Kafka is the version ("" leaves the choice to the command).
	Kafka string
	// Features are feature levels to format the cluster with, on top of the version's own defaults.
	Features []Feature
	// Properties are broker properties on top of the rendered ones; an empty value gives Kafka's default.
	Properties map[string]string
	// MinISR is min.insync.replicas of every topic of the run.
	MinISR int
	// Partitions is the number of partitions of every topic of the run.
	Partitions int
}

// Bounds are how much a run must have seen before a guarantee can be held.
type Bounds struct {
	// MinBefore and MinAfter are records that became visible before the first fault and after the last heal.
	MinBefore uint64 `json:"minBefore"`
	MinAfter  uint64 `json:"minAfter"`
	// MinOffered is the number of records offered while faults were active.
	MinOffered uint64 `json:"minOffered"`
	// StallThreshold is the shortest time without an advance of the LSO that counts as a stall.
	StallThreshold time.Duration `json:"stallThreshold"`
}

// DefaultBounds are the bounds unless an experiment changes them.
func DefaultBounds() Bounds {
	return Bounds{MinBefore: 100, MinAfter: 100, MinOffered: 50, StallThreshold: time.Second}
}

// PipelineInfo is what a pipeline declares of itself.
type PipelineInfo struct {
	Name   string    `json:"name"`
	Claims Guarantee `json:"claims"`
	About  string    `json:"about"`
	// ProducerOnly reports whether the source is under test: it writes straight to the measured topic.
	ProducerOnly  bool `json:"producerOnly"`
	Transactional bool `json:"transactional"`
	// InOrder reports whether its producers are idempotent and send a partition's records in the order of their work.
	// Transactional producers do.
	InOrder bool `json:"inOrder,omitempty"`
	// KeepsInputOrder reports whether the visible outputs of an input partition are also in the order of their inputs, through
	// restarts and rebalances.
	KeepsInputOrder bool `json:"keepsInputOrder,omitempty"`
	// TransactionTimeout is the pipeline's own transaction timeout, 0 where it takes the one that all share.
	TransactionTimeout time.Duration `json:"transactionTimeout,omitempty"`
	// ReadCommitted is the pipeline's own isolation level on its input.
	ReadCommitted bool `json:"readCommitted"`
	// Effects reports whether its outputs are side effects at the external service: Output names them, and is no topic.
	Effects bool `json:"effects,omitempty"`
	// ShareGroup reports whether its workers are members of a share group (KIP-932): brokers hand them single records, which
	// they acknowledge. In place of a committed offset there is the share-partition start offset, below which nothing is
	// handed out.
	ShareGroup bool `json:"shareGroup,omitempty"`
	// Topics is the number of output topics; each gets an output of every input (0: one topic).
	Topics int `json:"topics,omitempty"`
	// ReadUncommittedOutput reports whether the pipeline's own readers use read_uncommitted: its output is judged as they see
	// it.
	ReadUncommittedOutput bool `json:"readUncommittedOutput,omitempty"`
	// Deviations are the pipeline's settings that differ from the shared ones, in words for the table's footnote.
	Deviations []string `json:"deviations,omitempty"`
	// Phases are the named phases at which a worker can be made to wait.
	Phases []string `json:"phases,omitempty"`
}

// ClaimsOrder reports whether the pipeline claims in-order too. Side effects are no records of a producer.
func (p PipelineInfo) ClaimsOrder() bool { return (p.InOrder || p.Transactional) && !p.Effects }

// TopicPlan is the layout of a run's topics: which broker leads what, and which ids share which coordinator.
type TopicPlan struct {
	Input      string           `json:"input"`
	Partitions int              `json:"partitions"`
	MinISR     int              `json:"minISR"`
	Replicas   map[int32][]int  `json:"replicas"`
	Controller int              `json:"controller"`
	Pipelines  []PipelineLayout `json:"pipelines"`
}

// PipelineLayout is where one pipeline reads and writes, and under which ids.
type PipelineLayout struct {
	PipelineInfo
	// Source numbers the source that fills the row: the shared one, or the producer under test.
	Source uint16 `json:"source"`
	Output string `json:"output"`
	// Further are the output topics after Output, of a pipeline that writes to several.
	Further []string `json:"further,omitempty"`
	Group   string   `json:"group,omitempty"`
	// TransactionalIDs are the workers' ids, by worker number.
	TransactionalIDs []string `json:"transactionalIDs,omitempty"`
}

// Outputs lists the pipeline's output topics. Output partitions are numbered across them: partition p of topic t of the
// list is number t*partitions+p.
func (l PipelineLayout) Outputs() []string { return append([]string{l.Output}, l.Further...) }

// Place returns the topic and partition of an output partition's number, in a run with the given number of partitions a
// topic.
func (l PipelineLayout) Place(number int32, partitions int) (topic string, partition int32) {
	outputs, n := l.Outputs(), int32(max(1, partitions))
	if number < 0 || int(number/n) >= len(outputs) {
		return l.Output, number
	}
	return outputs[number/n], number % n
}

// Outputs lists the output topics; side effects are in none.
func (p TopicPlan) Outputs() []string {
	var names []string
	for _, l := range p.Pipelines {
		if !l.Effects {
			names = append(names, l.Outputs()...)
		}
	}
	return names
}

// Pipeline returns the layout of the named pipeline.
func (p TopicPlan) Pipeline(name string) (PipelineLayout, error) {
	for _, l := range p.Pipelines {
		if l.Name == name {
			return l, nil
		}
	}
	return PipelineLayout{}, fmt.Errorf("the run has no pipeline %q", name)
}

// SharedSource is the number of the source that fills the shared input topic.
const SharedSource uint16 = 0

// SourceRow is the row of the shared source. Experiments may expect something of it as of a pipeline.
const SourceRow = "source"

// SourceLayout is the shared source as a row of its own: a producer whose output is the input topic. It is idempotent, asks
// for all acknowledgements and sends again until it gets one: nothing that was acknowledged to it may be missing, and what
// it sends keeps its order. A restarted source may send a record again.
func (p TopicPlan) SourceLayout() PipelineLayout {
	info := PipelineInfo{Name: SourceRow, Claims: AtLeastOnce, About: "the source of the shared input", ProducerOnly: true, InOrder: true}
	return PipelineLayout{PipelineInfo: info, Source: SharedSource, Output: p.Input}
}

// ReadsSharedInput reports whether any of these pipelines reads what the shared source sends.
func ReadsSharedInput(infos []PipelineInfo) bool {
	return slices.ContainsFunc(infos, func(p PipelineInfo) bool { return !p.ProducerOnly })
}
