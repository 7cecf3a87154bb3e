package jepsen

import "github.com/chaeos/chaeos/verifiers/observation"

// strangers writes, before everything else, what logs hold and no history tells of: records that are not this run's, of
// processes without a history, outputs that name no input. Each may have been written at any time, and Jepsen's checker
// takes no value without a writer.
type strangers struct {
	row   *row
	sends []send
}

func (s *strangers) add(x send) error {
	s.sends = append(s.sends, x)
	if len(s.sends) < mostInOp {
		return nil
	}
	return s.flush()
}

func (s *strangers) flush() error {
	if len(s.sends) == 0 {
		return nil
	}
	o := &op{f: fSend, by: "unknown", process: s.row.processes.another(), outcome: info, sends: s.sends}
	s.sends = s.sends[:0]
	return s.row.do(o)
}

// input looks through an input log, or that of a source under test.
func (s *strangers) input(l *log) error {
	return l.all(func(x *stored) error {
		if s.row.sentBySource(&x.Record) {
			return nil
		}
		return s.add(send{key: l.key, value: nameOf(l.key, &x.Record), offset: x.Offset})
	})
}

// output looks through an output log, and sorts what workers with histories made.
func (s *strangers) output(l *log, number int32) error {
	return l.all(func(x *stored) error {
		if x.Status == observation.Output && s.row.recorded[incarnation{x.Worker, x.Incarnation}] {
			return s.row.copies.add(copyOf(number, x))
		}
		return s.add(send{key: l.key, value: nameOf(l.key, &x.Record), offset: x.Offset})
	})
}

// orphans looks for outputs of no input that is due in their partition, which are strange to the pipeline as a whole.
func (s *strangers) orphans(l *log, number int32) error {
	return l.all(func(x *stored) error {
		if !s.row.delivered(x) {
			return nil
		}
		v, err := s.row.inputOf(number, x)
		if err != nil || v.form == through {
			return err
		}
		return s.add(send{key: s.row.keys.through(number), value: v, offset: x.Offset})
	})
}
