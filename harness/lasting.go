package harness

// The things that a fault does and no heal undoes.
const (
	// LogStartMoved: records below To were deleted.
	LogStartMoved = "log start moved"
	// PartitionsAdded: the topic has To partitions, and had From.
	PartitionsAdded = "partitions added"
	// OffsetDeleted: the group's committed offset From was deleted.
	OffsetDeleted = "offset deleted"
	// LogWasCut: one replica's log ended at From, and was cut at To.
	LogWasCut = "log cut"
	// TransactionAborted: the transaction that began at offset From was aborted by hand.
	TransactionAborted = "transaction aborted"
	// UncleanLeader: a replica that was not in sync became leader, of the leader epoch To.
	UncleanLeader = "unclean leader"
)

// Lasting is one thing that a fault did and that stays when it is healed. A verifier that finds its traces knows by it
// that they are meant.
type Lasting struct {
	What      string `json:"what"`
	Topic     string `json:"topic,omitempty"`
	Partition int32  `json:"partition"`
	// Group is the consumer group of a deleted offset, Node the replica's of a log that was cut.
	Group string `json:"group,omitempty"`
	Node  int    `json:"node,omitempty"`
	From  int64  `json:"from"`
	To    int64  `json:"to"`
}
