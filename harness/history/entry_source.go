package history

// Intent announces that the source is about to hand Sequences [First, First+Count) to its client.
type Intent struct {
	Stamp
	First, Count uint64
}

func (*Intent) kind() kind { return 2 }

func (e *Intent) fields(c *codec) {
	c.uint(&e.First)
	c.uint(&e.Count)
}

// Acked are records that the broker confirmed to have stored.
type Acked struct {
	Stamp
	Spans []AckSpan
}

func (*Acked) kind() kind { return 3 }

func (e *Acked) fields(c *codec) {
	list(c, &e.Spans, func(s *AckSpan) {
		integer(c, &s.Partition)
		s.SequenceSpan.fields(c)
		integer(c, &s.Offset)
	})
}

// Resolved are records with another outcome than an acknowledgement: failed, unknown, or (Sent) written with acks=0.
type Resolved struct {
	Stamp
	Outcome Outcome
	Sent    bool
	Reason  string
	Spans   []SequenceSpan
}

func (*Resolved) kind() kind { return 4 }

func (e *Resolved) fields(c *codec) {
	c.outcome(&e.Outcome)
	c.bool(&e.Sent)
	c.string(&e.Reason)
	list(c, &e.Spans, func(s *SequenceSpan) { s.fields(c) })
}
