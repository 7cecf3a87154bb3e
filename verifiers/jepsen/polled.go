package jepsen

// polled writes what a poll was given: the records of the final log in its range, since histories keep ranges and
// counts, and no values. Where another number of records came, odd gets the count by key.
func (w *writer) polled(p poll, odd map[int32]uint64) error {
	if p.log == nil {
		w.records(p)
		return nil
	}
	everything, err := p.tookEverything(odd)
	if err != nil {
		return err
	}
	w.text("[:poll {")
	w.number(int64(p.log.key))
	w.text(" [")
	n := 0
	err = p.each(func(s *stored) {
		if !everything && !s.visible {
			return
		}
		w.between(n)
		n++
		w.record(s.Offset, nameOf(p.log.key, &s.Record))
	})
	w.text("]}]")
	return err
}

// clockSlack is how far a broker's or client's wall clock may be from the run's, in milliseconds.
const clockSlack = 1000

// each calls fn with the records of the final log that the poll may have been given. What was made after it took the place
// of what it was given, which was cut off.
func (p poll) each(fn func(*stored)) error {
	return p.log.each(p.from, p.to, func(s *stored) error {
		if s.made <= p.by+clockSlack {
			fn(s)
		}
		return nil
	})
}

func (w *writer) records(p poll) {
	w.text("[:poll {")
	w.number(int64(p.key))
	w.text(" [")
	for i, r := range p.records {
		w.between(i)
		w.record(r.offset, r.value)
	}
	w.text("]}]")
}

func (w *writer) record(offset int64, v value) {
	w.offset(offset)
	w.value(v)
	w.text("]")
}

// tookEverything reports whether a poll was also given uncommitted records: its reader asks for them, or as many records
// came as the range holds with them, and not as many as it holds without them, which is a dirty read.
func (p poll) tookEverything(odd map[int32]uint64) (bool, error) {
	var visible, all uint64
	err := p.each(func(s *stored) {
		all++
		if s.visible {
			visible++
		}
	})
	given := visible
	if p.uncommitted {
		given = all
	}
	if given == p.count {
		return p.uncommitted, err
	}
	odd[p.log.key] += p.count
	return p.uncommitted || all == p.count, err
}
