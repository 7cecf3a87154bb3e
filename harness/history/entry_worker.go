package history

// Assigned records that the group assigned these partitions to the worker, in addition to those it had.
type Assigned struct {
	Stamp
	Generation int32
	Partitions []int32
}

func (*Assigned) kind() kind { return 5 }

func (e *Assigned) fields(c *codec) {
	integer(c, &e.Generation)
	list(c, &e.Partitions, func(p *int32) { integer(c, p) })
}

// Revoked records that the partitions left the worker: revoked in order, or Lost (fenced, session expired).
type Revoked struct {
	Stamp
	Lost       bool
	Partitions []int32
}

func (*Revoked) kind() kind { return 6 }

func (e *Revoked) fields(c *codec) {
	c.bool(&e.Lost)
	list(c, &e.Partitions, func(p *int32) { integer(c, p) })
}

// Polled records that a poll delivered Count records with offsets in [From, To) of one partition. Their processing
// ordinals are Processing, Processing+1, ….
type Polled struct {
	Stamp
	Partition  int32
	From, To   int64
	Count      uint64
	Processing uint64
}

func (*Polled) kind() kind { return 7 }

func (e *Polled) fields(c *codec) {
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
	c.uint(&e.Processing)
}

// Outputs are the outcomes of outputs that a worker produced (in transaction Txn, or 0): how many in each partition had
// this Outcome since the entry before. In a transaction, confirmed means stored, not yet committed.
type Outputs struct {
	Stamp
	Txn     uint64
	Outcome Outcome
	Reason  string
	Counts  []PartitionCount
}

func (*Outputs) kind() kind { return 9 }

func (e *Outputs) fields(c *codec) {
	c.uint(&e.Txn)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Counts, func(p *PartitionCount) {
		integer(c, &p.Partition)
		c.uint(&p.Count)
	})
}

// Committing announces that the worker is about to commit these offsets (in transaction Txn, or 0).
type Committing struct {
	Stamp
	Txn     uint64
	Offsets []PartitionOffset
}

func (*Committing) kind() kind { return 10 }

func (e *Committing) fields(c *codec) {
	c.uint(&e.Txn)
	list(c, &e.Offsets, func(o *PartitionOffset) { o.fields(c) })
}

// Committed is the outcome of an offset commit. Inside a transaction, confirmed means accepted as pending: it takes
// effect with the transaction.
type Committed struct {
	Stamp
	Txn     uint64
	Outcome Outcome
	Reason  string
	Offsets []PartitionOffset
}

func (*Committed) kind() kind { return 11 }

func (e *Committed) fields(c *codec) {
	c.uint(&e.Txn)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Offsets, func(o *PartitionOffset) { o.fields(c) })
}

// Phase records that the process reached a phase of its loop at which it was armed to wait.
type Phase struct {
	Stamp
	Name string
	// Held counts the records that the process had taken and not finished at that moment.
	Held uint64
}

func (*Phase) kind() kind { return 14 }

func (e *Phase) fields(c *codec) {
	c.string(&e.Name)
	c.uint(&e.Held)
}
