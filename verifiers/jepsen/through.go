package jepsen

// through writes the pipeline as a whole, as one queue: each input that it was due to pass on is sent to each output
// topic, and acknowledged once the pipeline was done with it. What its readers got is compared with that by the final
// polls.
func (r *row) through() error {
	for number := range r.keys.outputs {
		partition := number % r.keys.partitions
		passing := &passing{row: r, key: r.keys.through(number), partition: partition, process: r.processes.another()}
		err := r.inputs[partition].all(func(x *stored) error {
			if !r.due(x) {
				return nil
			}
			return passing.add(x.Offset)
		})
		if err != nil {
			return err
		}
		if err := passing.flush(); err != nil {
			return err
		}
	}
	return nil
}

// passing gathers the inputs of one partition: those that were passed, and those that were not.
type passing struct {
	row       *row
	key       int32
	partition int32
	process   int
	done      []send
	left      []send
}

func (p *passing) add(offset int64) error {
	s := send{key: p.key, value: inputAt(p.partition, offset), offset: -1}
	if p.row.passed.has(p.partition, offset) {
		p.done = append(p.done, s)
	} else {
		p.left = append(p.left, s)
	}
	if len(p.done)+len(p.left) < mostInOp {
		return nil
	}
	return p.flush()
}

func (p *passing) flush() error {
	by := p.row.keys.layout.Name
	if len(p.done) > 0 {
		if err := p.row.do(&op{f: fSend, by: by, process: p.process, outcome: ok, sends: p.done}); err != nil {
			return err
		}
	}
	if len(p.left) > 0 {
		if err := p.row.do(&op{f: fSend, by: by, process: p.row.processes.another(), outcome: info, sends: p.left}); err != nil {
			return err
		}
	}
	p.done, p.left = p.done[:0], p.left[:0]
	return nil
}
