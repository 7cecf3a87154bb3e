package history

// Sample is one reading of an output partition's last stable offset and high watermark, from one broker that believes
// itself its leader. A cut-off leader answers with frozen values: drop samples of an older leader epoch.
type Sample struct {
	Stamp
	Topic       string
	Partition   int32
	Broker      int32
	LeaderEpoch int32
	LSO, HW     int64
}

func (*Sample) kind() kind { return 15 }

func (e *Sample) fields(c *codec) {
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Broker)
	integer(c, &e.LeaderEpoch)
	integer(c, &e.LSO)
	integer(c, &e.HW)
}

// LogEnd is the end of a partition's log at a broker that believes itself its leader: what it has stored, replicated or
// not. It is written only if it is above the high watermark.
type LogEnd struct {
	Stamp
	Topic       string
	Partition   int32
	Broker      int32
	LeaderEpoch int32
	End         int64
}

func (*LogEnd) kind() kind { return 22 }

func (e *LogEnd) fields(c *codec) {
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Broker)
	integer(c, &e.LeaderEpoch)
	integer(c, &e.End)
}

// Replicas is who leads a partition and which replicas are in sync, in the metadata of one broker. It is written when that
// broker's view changes. A broker that is cut off from the controllers keeps an old view.
type Replicas struct {
	Stamp
	Broker    int32
	Topic     string
	Partition int32
	// Leader is -1 while the partition has none.
	Leader      int32
	LeaderEpoch int32
	ISR         []int32
}

func (*Replicas) kind() kind { return 21 }

func (e *Replicas) fields(c *codec) {
	integer(c, &e.Broker)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Leader)
	integer(c, &e.LeaderEpoch)
	list(c, &e.ISR, func(r *int32) { integer(c, r) })
}

// DeliveredLive records that the live read_committed reader got Count records with offsets in [From, To) of a topic's
// partition. New of them had inputs that it had not got before.
type DeliveredLive struct {
	Stamp
	Topic      string
	Partition  int32
	From, To   int64
	Count, New uint64
}

func (*DeliveredLive) kind() kind { return 16 }

func (e *DeliveredLive) fields(c *codec) {
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
	c.uint(&e.New)
}

// Latency is a pipeline's end-to-end latencies up to now: an HdrHistogram in its V2 compressed encoding, nanoseconds.
type Latency struct {
	Stamp
	Pipeline string
	HDR      []byte
}

func (*Latency) kind() kind { return 17 }

func (e *Latency) fields(c *codec) {
	c.string(&e.Pipeline)
	c.bytes(&e.HDR)
}

// TransactionAtLSO is the transaction that holds a partition's last stable offset back, as DescribeProducers,
// ListTransactions and DescribeTransactions showed it meanwhile.
type TransactionAtLSO struct {
	Stamp
	Topic           string
	Partition       int32
	LSO             int64
	ProducerID      int64
	ProducerEpoch   int32
	TransactionalID string
	State           string
	Coordinator     int32
	TimeoutMillis   int32
	// StartMillis is the transaction's start by the coordinator's wall clock (-1 unknown).
	StartMillis int64
}

func (*TransactionAtLSO) kind() kind { return 18 }

func (e *TransactionAtLSO) fields(c *codec) {
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.LSO)
	integer(c, &e.ProducerID)
	integer(c, &e.ProducerEpoch)
	c.string(&e.TransactionalID)
	c.string(&e.State)
	integer(c, &e.Coordinator)
	integer(c, &e.TimeoutMillis)
	integer(c, &e.StartMillis)
}

// LSOAdvanced is a transaction's state at its coordinator just after the last stable offset that it had held back
// advanced, with the producer id and epoch that it goes on with.
type LSOAdvanced struct {
	Stamp
	Topic           string
	Partition       int32
	LSO             int64
	ProducerID      int64
	ProducerEpoch   int32
	TransactionalID string
	State           string
	Coordinator     int32
}

func (*LSOAdvanced) kind() kind { return 23 }

func (e *LSOAdvanced) fields(c *codec) {
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.LSO)
	integer(c, &e.ProducerID)
	integer(c, &e.ProducerEpoch)
	c.string(&e.TransactionalID)
	c.string(&e.State)
	integer(c, &e.Coordinator)
}
