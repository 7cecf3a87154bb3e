package jepsen

import "github.com/chaeos/chaeos/verifiers/observation"

// final polls everything from the start, as Jepsen's workload does at its end: what the read-back found is what this
// last process is given.
func (r *row) final() error {
	f := &finalPolls{row: r, process: r.processes.another()}
	if err := r.do(f.op(fAssign)); err != nil {
		return err
	}
	for _, l := range r.inputs {
		if err := f.log(l, l.key, r.due, ownName(l)); err != nil {
			return err
		}
	}
	for _, l := range r.outputs {
		if err := f.log(l, l.key, r.given, ownName(l)); err != nil {
			return err
		}
	}
	if r.keys.layout.ProducerOnly {
		return nil
	}
	for number, l := range r.outputs {
		input := func(x *stored) (value, error) { return r.inputOf(int32(number), x) }
		if err := f.log(l, r.keys.through(int32(number)), r.delivered, input); err != nil {
			return err
		}
	}
	return nil
}

// finalPolls is the last process.
type finalPolls struct {
	row     *row
	process int
	given   []send
}

func (f *finalPolls) op(name string) *op {
	return &op{f: name, by: "final read", process: f.process, outcome: ok, keys: f.row.keys.all(), fromStart: true}
}

// log polls those of a log's records that are wanted, by a name for each.
func (f *finalPolls) log(l *log, key int32, wanted func(*stored) bool, name func(*stored) (value, error)) error {
	err := l.all(func(x *stored) error {
		if !wanted(x) {
			return nil
		}
		v, err := name(x)
		f.given = append(f.given, send{key: key, value: v, offset: x.Offset})
		if err != nil || len(f.given) < mostInOp {
			return err
		}
		return f.poll(key)
	})
	if err != nil {
		return err
	}
	return f.poll(key)
}

func (f *finalPolls) poll(key int32) error {
	if len(f.given) == 0 {
		return nil
	}
	o := f.op(fPoll)
	o.polls = []poll{{key: key, records: f.given}}
	f.given = f.given[:0]
	return f.row.do(o)
}

// due reports whether an input is one that the row's pipeline is given.
func (r *row) due(x *stored) bool {
	return x.Status == observation.Input && (x.visible || !r.keys.layout.ReadCommitted)
}

// given reports whether the readers of the row's outputs are given a record.
func (r *row) given(x *stored) bool { return x.visible || r.keys.layout.ReadUncommittedOutput }

// delivered reports whether it is an output that they are given.
func (r *row) delivered(x *stored) bool { return x.Status == observation.Output && r.given(x) }

// ownName names a log's records by themselves.
func ownName(l *log) func(*stored) (value, error) {
	return func(x *stored) (value, error) { return nameOf(l.key, &x.Record), nil }
}

// inputOf names an output by its input's place, where the same input is there still and due in the output's partition.
// Otherwise it is an output of what its source sent, wherever that was.
func (r *row) inputOf(number int32, x *stored) (v value, err error) {
	v = value{form: sent, Identity: x.Identity}
	at := x.Origin
	if at.Partition != number%r.keys.partitions || at.Offset < 0 {
		return v, nil
	}
	err = r.inputs[at.Partition].each(at.Offset, at.Offset+1, func(in *stored) error {
		if r.due(in) && in.Identity == v.Identity {
			v = inputAt(at.Partition, at.Offset)
		}
		return nil
	})
	return v, err
}
