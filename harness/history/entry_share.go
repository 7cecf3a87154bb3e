package history

// Acknowledging announces that a member of a share group is about to acknowledge (accept) these records.
type Acknowledging struct {
	Stamp
	Ranges []OffsetRange
}

func (*Acknowledging) kind() kind { return 25 }

func (e *Acknowledging) fields(c *codec) {
	list(c, &e.Ranges, func(o *OffsetRange) { o.fields(c) })
}

// Acknowledged is the outcome of acknowledging records to a share group.
type Acknowledged struct {
	Stamp
	Outcome Outcome
	Reason  string
	Ranges  []OffsetRange
}

func (*Acknowledged) kind() kind { return 26 }

func (e *Acknowledged) fields(c *codec) {
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Ranges, func(o *OffsetRange) { o.fields(c) })
}

// Redelivered records how often the brokers of a share group had delivered the records that were just polled, with offsets
// in [From, To), this time included. It is written only from the second time on (KIP-932's delivery count).
type Redelivered struct {
	Stamp
	Partition int32
	From, To  int64
	Count     uint64
}

func (*Redelivered) kind() kind { return 27 }

func (e *Redelivered) fields(c *codec) {
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
}
