package history

import "fmt"

// newEntries makes an empty entry of each kind. A new kind takes the next number; numbers on disk are never reused.
var newEntries = map[kind]func() Entry{
	1:  func() Entry { return &Process{} },
	2:  func() Entry { return &Intent{} },
	3:  func() Entry { return &Acked{} },
	4:  func() Entry { return &Settled{} },
	5:  func() Entry { return &Assigned{} },
	6:  func() Entry { return &Revoked{} },
	7:  func() Entry { return &Polled{} },
	8:  func() Entry { return &TxnBegin{} },
	9:  func() Entry { return &Outputs{} },
	10: func() Entry { return &Committing{} },
	11: func() Entry { return &Committed{} },
	12: func() Entry { return &TxnEnding{} },
	13: func() Entry { return &TxnEnded{} },
	14: func() Entry { return &Phase{} },
	15: func() Entry { return &Sample{} },
	16: func() Entry { return &Seen{} },
	17: func() Entry { return &Latency{} },
	18: func() Entry { return &Culprit{} },
	19: func() Entry { return &Mark{} },
	20: func() Entry { return &End{} },
	21: func() Entry { return &Replicas{} },
	22: func() Entry { return &LogEnd{} },
	23: func() Entry { return &Released{} },
	24: func() Entry { return &ProducerInit{} },
	25: func() Entry { return &Acknowledging{} },
	26: func() Entry { return &Acknowledged{} },
	27: func() Entry { return &Redelivered{} },
}

// maxKind is the largest number that a reader keeps an entry of for use again; larger ones are made anew each time.
const maxKind = 63

// Kinds returns an empty entry of every kind, in the order of their numbers: for tests of what must know them all.
func Kinds() []Entry {
	var all []Entry
	for k := kind(1); int(k) <= len(newEntries); k++ {
		all = append(all, newEntries[k]())
	}
	return all
}

func newEntry(k kind) (Entry, error) {
	f, ok := newEntries[k]
	if !ok {
		return nil, fmt.Errorf("unknown entry kind %d: written by a newer chaeos", k)
	}
	return f(), nil
}

func (*Process) kind() kind       { return 1 }
func (*Intent) kind() kind        { return 2 }
func (*Acked) kind() kind         { return 3 }
func (*Settled) kind() kind       { return 4 }
func (*Assigned) kind() kind      { return 5 }
func (*Revoked) kind() kind       { return 6 }
func (*Polled) kind() kind        { return 7 }
func (*TxnBegin) kind() kind      { return 8 }
func (*Outputs) kind() kind       { return 9 }
func (*Committing) kind() kind    { return 10 }
func (*Committed) kind() kind     { return 11 }
func (*TxnEnding) kind() kind     { return 12 }
func (*TxnEnded) kind() kind      { return 13 }
func (*Phase) kind() kind         { return 14 }
func (*Sample) kind() kind        { return 15 }
func (*Seen) kind() kind          { return 16 }
func (*Latency) kind() kind       { return 17 }
func (*Culprit) kind() kind       { return 18 }
func (*Mark) kind() kind          { return 19 }
func (*End) kind() kind           { return 20 }
func (*Replicas) kind() kind      { return 21 }
func (*LogEnd) kind() kind        { return 22 }
func (*Released) kind() kind      { return 23 }
func (*ProducerInit) kind() kind  { return 24 }
func (*Acknowledging) kind() kind { return 25 }
func (*Acknowledged) kind() kind  { return 26 }
func (*Redelivered) kind() kind   { return 27 }

func (r *SeqRun) fields(c *codec) {
	c.uint(&r.First)
	c.uint(&r.Stride)
	c.uint(&r.Count)
}

func (o *PartitionOffset) fields(c *codec) {
	integer(c, &o.Partition)
	integer(c, &o.Offset)
}

func (e *Process) fields(c *codec) {
	integer(c, &e.At)
	unsigned(c, &e.Run)
	c.string(&e.Name)
	c.string(&e.Role)
	c.string(&e.Pipeline)
	unsigned(c, &e.Number)
	unsigned(c, &e.Incarnation)
	integer(c, &e.Pid)
}

func (e *Intent) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.First)
	c.uint(&e.Count)
}

func (e *Acked) fields(c *codec) {
	integer(c, &e.At)
	list(c, &e.Runs, func(r *AckRun) {
		integer(c, &r.Partition)
		r.SeqRun.fields(c)
		integer(c, &r.Offset)
	})
}

func (e *Settled) fields(c *codec) {
	integer(c, &e.At)
	c.outcome(&e.Outcome)
	c.bool(&e.Sent)
	c.string(&e.Reason)
	list(c, &e.Runs, func(r *SeqRun) { r.fields(c) })
}

func (e *Assigned) fields(c *codec) {
	integer(c, &e.At)
	integer(c, &e.Generation)
	list(c, &e.Partitions, func(p *int32) { integer(c, p) })
}

func (e *Revoked) fields(c *codec) {
	integer(c, &e.At)
	c.bool(&e.Lost)
	list(c, &e.Partitions, func(p *int32) { integer(c, p) })
}

func (e *Polled) fields(c *codec) {
	integer(c, &e.At)
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
	c.uint(&e.Processing)
}

func (e *TxnBegin) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
}

func (e *Outputs) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Counts, func(p *PartitionCount) {
		integer(c, &p.Partition)
		c.uint(&p.Count)
	})
}

func (e *Committing) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
	list(c, &e.Offsets, func(o *PartitionOffset) { o.fields(c) })
}

func (e *Committed) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Offsets, func(o *PartitionOffset) { o.fields(c) })
}

func (e *TxnEnding) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
	c.bool(&e.Commit)
}

func (e *TxnEnded) fields(c *codec) {
	integer(c, &e.At)
	c.uint(&e.Txn)
	c.bool(&e.Commit)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
}

func (e *Phase) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Name)
	c.uint(&e.Held)
}

func (e *Sample) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Broker)
	integer(c, &e.LeaderEpoch)
	integer(c, &e.LSO)
	integer(c, &e.HW)
}

func (e *LogEnd) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Broker)
	integer(c, &e.LeaderEpoch)
	integer(c, &e.End)
}

func (e *Seen) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
	c.uint(&e.New)
}

func (e *Latency) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Pipeline)
	c.bytes(&e.HDR)
}

func (e *Culprit) fields(c *codec) {
	integer(c, &e.At)
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

func (e *Released) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.LSO)
	integer(c, &e.ProducerID)
	integer(c, &e.ProducerEpoch)
	c.string(&e.TransactionalID)
	c.string(&e.State)
	integer(c, &e.Coordinator)
}

func (e *ProducerInit) fields(c *codec) {
	integer(c, &e.At)
	integer(c, &e.Asked)
	c.string(&e.TransactionalID)
	c.string(&e.Error)
}

func (o *OffsetRange) fields(c *codec) {
	integer(c, &o.Partition)
	integer(c, &o.From)
	integer(c, &o.To)
}

func (e *Acknowledging) fields(c *codec) {
	integer(c, &e.At)
	list(c, &e.Ranges, func(o *OffsetRange) { o.fields(c) })
}

func (e *Acknowledged) fields(c *codec) {
	integer(c, &e.At)
	c.outcome(&e.Outcome)
	c.string(&e.Reason)
	list(c, &e.Ranges, func(o *OffsetRange) { o.fields(c) })
}

func (e *Redelivered) fields(c *codec) {
	integer(c, &e.At)
	integer(c, &e.Partition)
	integer(c, &e.From)
	integer(c, &e.To)
	c.uint(&e.Count)
}

func (e *Mark) fields(c *codec) {
	integer(c, &e.At)
	c.string(&e.Name)
	c.string(&e.Text)
}

func (e *End) fields(c *codec) { integer(c, &e.At) }

func (e *Replicas) fields(c *codec) {
	integer(c, &e.At)
	integer(c, &e.Broker)
	c.string(&e.Topic)
	integer(c, &e.Partition)
	integer(c, &e.Leader)
	integer(c, &e.LeaderEpoch)
	list(c, &e.ISR, func(r *int32) { integer(c, r) })
}
