package jepsen

// invocation writes what an operation asks for: [:poll] and [:send key value].
func (w *writer) invocation(o *op) {
	w.text(", :value [")
	for i := range o.polls {
		w.between(i)
		w.text("[:poll]")
	}
	for i, s := range o.sends {
		w.between(len(o.polls) + i)
		w.send(s, false)
	}
	w.text("]")
}

// completion writes what came of it: [:poll {key [[offset value] …]}] and [:send key [offset value]], nil where the
// offset is not known. After the value come Jepsen's own :rebalance-log and :error, and what only this export
// has: :count, how many records polls brought by key where the log holds another number, and :unnamed, how many
// confirmed sends it has no value for.
func (w *writer) completion(o *op) error {
	w.text(", :value [")
	odd := map[int32]uint64{}
	for i, p := range o.polls {
		w.between(i)
		if err := w.polled(p, odd); err != nil {
			return err
		}
	}
	for i, s := range o.sends {
		w.between(len(o.polls) + i)
		w.send(s, o.outcome == ok || s.offset >= 0)
	}
	w.text("]")
	w.counts(":count", odd)
	w.counts(":unnamed", o.unnamed)
	if len(o.rebalances) > 0 {
		w.text(", :rebalance-log [")
		for i, keys := range o.rebalances {
			w.between(i)
			w.text("{:keys ")
			w.keys(keys)
			w.text("}")
		}
		w.text("]")
	}
	if o.reason != "" {
		w.text(", :error ")
		w.quote(o.reason)
	}
	return nil
}

func (w *writer) send(s send, placed bool) {
	w.text("[:send ")
	w.number(int64(s.key))
	w.text(" ")
	if placed {
		w.offset(s.offset)
	}
	w.value(s.value)
	if placed {
		w.text("]")
	}
	w.text("]")
}
