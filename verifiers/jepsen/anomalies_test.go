package jepsen_test

// counts are anomalies by key.
type counts map[int64]int

func (c counts) in(keys ...int64) (n int) {
	for _, k := range keys {
		n += c[k]
	}
	return n
}

func (c counts) total() (n int) {
	for _, x := range c {
		n += x
	}
	return n
}

// anomalies counts each by the name that Jepsen gives it. Unlike its checker, which counts only the values that are at
// several offsets, copies also counts the offsets beyond the first of each.
func (a *analysis) anomalies() map[string]counts {
	found := map[string]counts{
		"inconsistent-offsets": a.inconsistent(), "duplicate": a.duplicates(1, 1), "copies": a.duplicates(1, 0),
		"lost-write": a.lost(), "unseen": a.unseen(), "G1a": a.abortedReads(), "precommitted-read": a.precommitted(), "torn": a.torn(),
	}
	found["poll-skip"], found["nonmonotonic-poll"] = a.polls()
	found["int-poll-skip"], found["int-nonmonotonic-poll"] = a.within(func(o *operation) map[int64][]message { return o.reads }, true)
	found["int-send-skip"], found["int-nonmonotonic-send"] = a.within(func(o *operation) map[int64][]message { return o.sends }, false)
	found["nonmonotonic-send"] = a.sends()
	found["G0"], found["G1c"] = a.cycles()
	return found
}

// inconsistent are offsets at which several values were seen.
func (a *analysis) inconsistent() counts {
	n := counts{}
	for k, o := range a.orders {
		for _, values := range o.at {
			if len(values) > 1 {
				n[k]++
			}
		}
	}
	return n
}

// duplicates counts the values at several offsets: each once, or each offset beyond the first.
func (a *analysis) duplicates(least, each int) counts {
	n := counts{}
	for k, o := range a.orders {
		at := map[string]int{}
		for _, values := range o.at {
			for v := range values {
				at[v]++
			}
		}
		for _, times := range at {
			switch {
			case times <= least:
			case each > 0:
				n[k]++
			default:
				n[k] += times - 1
			}
		}
	}
	return n
}

// lost are values that were surely written, lie before one that was read, and were never read.
func (a *analysis) lost() counts {
	n := counts{}
	for k, read := range a.read {
		o, bound := a.orders[k], -1
		for v := range read {
			if i, known := o.first[v]; known {
				bound = max(bound, i)
			}
		}
		for v, i := range o.index {
			if i <= bound && !read[v] && a.committed(a.writer[k][v]) {
				n[k]++
			}
		}
	}
	return n
}

// unseen are acknowledged values that were never read.
func (a *analysis) unseen() counts {
	unseen := map[int64]map[string]bool{}
	for _, o := range a.done {
		for k, list := range o.sends {
			for _, m := range list {
				if o.kind == "ok" && !a.read[k][m.value] {
					put(unseen, k, m.value)
				}
			}
		}
	}
	n := counts{}
	for k, values := range unseen {
		n[k] = len(values)
	}
	return n
}

// abortedReads are values of failed operations that were read.
func (a *analysis) abortedReads() counts {
	n := counts{}
	for k, failed := range a.failed {
		for v := range failed {
			if a.read[k][v] {
				n[k]++
			}
		}
	}
	return n
}

// precommitted counts operations that read what they wrote themselves.
func (a *analysis) precommitted() counts {
	n := counts{}
	for _, o := range a.done {
		for k, list := range o.sends {
			own := map[string]bool{}
			for _, m := range list {
				own[m.value] = true
			}
			for _, m := range o.reads[k] {
				if own[m.value] {
					n[k]++
					break
				}
			}
		}
	}
	return n
}

// torn counts transactions of whose values some were read and others never. Jepsen's workload has no such case; it is
// what would be left of an intermediate read for good. All are counted under key 0.
func (a *analysis) torn() counts {
	n := counts{}
	for _, o := range a.done {
		if o.f != "txn" {
			continue
		}
		seen, missed := false, len(o.unnamed) > 0
		for k, list := range o.sends {
			for _, m := range list {
				seen = seen || a.read[k][m.value]
				missed = missed || !a.read[k][m.value]
			}
		}
		if seen && missed {
			n[0]++
		}
	}
	return n
}
