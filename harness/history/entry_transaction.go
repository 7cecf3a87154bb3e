package history

// TxnBegin opens transaction number Txn of this incarnation (from 1).
type TxnBegin struct {
	Stamp
	Txn uint64
}

func (*TxnBegin) kind() kind { return 8 }

func (e *TxnBegin) fields(c *codec) { c.uint(&e.Txn) }

// TxnEnding announces that the worker or source is about to end transaction Txn.
type TxnEnding struct {
	Stamp
	Txn    uint64
	Commit bool
}

func (*TxnEnding) kind() kind { return 12 }

func (e *TxnEnding) fields(c *codec) {
	c.uint(&e.Txn)
	c.bool(&e.Commit)
}

// TxnEnded is the outcome of ending transaction Txn. Commit is what was confirmed, or else what was asked for. A failed end was
// refused: Reason is the brokers' error, which proves that it did not happen by this request.
type TxnEnded struct {
	Stamp
	Txn     uint64
	Commit  bool
	Outcome Outcome
	Reason  string
}

func (*TxnEnded) kind() kind { return 13 }

func (e *TxnEnded) fields(c *codec) {
	c.uint(&e.Txn)
	c.bool(&e.Commit)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
}

// ProducerInit records that a worker asked for a producer id (InitProducerID), which ends what its predecessor with the
// same transactional id left open: asked at Asked, answered at At, with the broker's or the connection's error ("" none).
type ProducerInit struct {
	Stamp
	Asked           Time
	TransactionalID string
	Error           string
}

func (*ProducerInit) kind() kind { return 24 }

func (e *ProducerInit) fields(c *codec) {
	integer(c, &e.Asked)
	c.string(&e.TransactionalID)
	c.string(&e.Error)
}

// TxnRecords announces what a source is about to write in transaction Txn: the records with sequences [First, First+Count),
// under this producer id and epoch. The log shows by the same what became of each.
type TxnRecords struct {
	Stamp
	Txn, First, Count uint64
	ProducerID        int64
	ProducerEpoch     int32
}

func (*TxnRecords) kind() kind { return 28 }

func (e *TxnRecords) fields(c *codec) {
	c.uint(&e.Txn)
	c.uint(&e.First)
	c.uint(&e.Count)
	integer(c, &e.ProducerID)
	integer(c, &e.ProducerEpoch)
}
