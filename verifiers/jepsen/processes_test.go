package jepsen_test

// polls compares each process's polls of a key, one with the one before: what it skipped, and where it went back.
func (a *analysis) polls() (skips, back counts) {
	skips, back = counts{}, counts{}
	last := map[int64]map[int64]string{}
	for _, o := range a.done {
		if last[o.process] == nil {
			last[o.process] = map[int64]string{}
		}
		switch o.f {
		case "assign", "subscribe":
			if o.kind != "fail" {
				last[o.process] = only(last[o.process], o.keys)
			}
		case "poll", "txn":
			for k, list := range o.reads {
				if len(list) == 0 { // read, and what it was is not known
					delete(last[o.process], k)
					continue
				}
				if before, some := last[o.process][k]; some {
					step := a.step(k, before, list[0].value)
					if step > 1 {
						skips[k]++
					}
					if step < 1 {
						back[k]++
					}
				}
				if o.kind == "ok" {
					last[o.process][k] = list[len(list)-1].value
				}
			}
		}
	}
	return skips, back
}

func only(from map[int64]string, keys []int64) map[int64]string {
	kept := map[int64]string{}
	for _, k := range keys {
		if v, there := from[k]; there {
			kept[k] = v
		}
	}
	return kept
}

// sends counts, of each process's sends to a key, those that came before what it had sent before.
func (a *analysis) sends() counts {
	n := counts{}
	last := map[int64]map[int64]string{}
	for _, o := range a.done {
		if o.kind == "fail" {
			continue
		}
		if last[o.process] == nil {
			last[o.process] = map[int64]string{}
		}
		switch o.f {
		case "assign", "subscribe":
			last[o.process] = only(last[o.process], o.keys)
		case "send", "txn":
			for k, list := range o.sends {
				if before, some := last[o.process][k]; some && a.step(k, before, list[0].value) < 1 {
					n[k]++
				}
				last[o.process][k] = list[len(list)-1].value
			}
		}
	}
	return n
}

// within compares neighbours inside one operation. Polls of a key that came or went meanwhile prove nothing.
func (a *analysis) within(of func(*operation) map[int64][]message, excused bool) (skips, back counts) {
	skips, back = counts{}, counts{}
	for _, o := range a.done {
		for k, list := range of(o) {
			if excused && o.rebalanced[k] {
				continue
			}
			for i := 1; i < len(list); i++ {
				step := a.step(k, list[i-1].value, list[i].value)
				if step > 1 {
					skips[k]++
				}
				if step < 1 {
					back[k]++
				}
			}
		}
	}
	return skips, back
}
