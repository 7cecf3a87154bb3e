package jepsen_test

// graph has an edge from an operation to each that depends on it: ww, what it wrote comes just before what the other
// wrote; wr, the other read what it wrote.
type graph struct {
	edges map[*operation]map[*operation]bool
	// wr are the edges that are reads.
	wr map[*operation]map[*operation]bool
}

func (g *graph) link(from, to *operation, read bool) {
	if from == nil || to == nil || from == to {
		return
	}
	for _, m := range []map[*operation]map[*operation]bool{g.edges, g.wr} {
		if m[from] == nil {
			m[from] = map[*operation]bool{}
		}
	}
	g.edges[from][to] = true
	if read {
		g.wr[from][to] = true
	}
}

// cycles counts groups of operations that depend on each other: G0 by writes alone, G1c where a read is part of it.
func (a *analysis) cycles() (g0, g1c counts) {
	g := &graph{map[*operation]map[*operation]bool{}, map[*operation]map[*operation]bool{}}
	for k, o := range a.orders {
		var before []*operation
		for _, offset := range o.offsets {
			var here []*operation
			for v := range o.at[offset] {
				here = append(here, a.writer[k][v])
			}
			for _, from := range before {
				for _, to := range here {
					g.link(from, to, false)
				}
			}
			before = here
		}
	}
	g0 = counts{0: len(g.groups())}
	for _, o := range a.done {
		for k, list := range o.reads {
			for _, m := range list {
				g.link(a.writer[k][m.value], o, true)
			}
		}
	}
	g1c = counts{}
	for _, group := range g.groups() {
		if g.reads(group) {
			g1c[0]++
		}
	}
	return g0, g1c
}

func (g *graph) reads(group map[*operation]bool) bool {
	for from := range group {
		for to := range g.wr[from] {
			if group[to] {
				return true
			}
		}
	}
	return false
}

// groups are the strongly connected components of several operations (Tarjan).
func (g *graph) groups() (found []map[*operation]bool) {
	index, low, on := map[*operation]int{}, map[*operation]int{}, map[*operation]bool{}
	var stack []*operation
	var visit func(*operation)
	visit = func(o *operation) {
		index[o] = len(index) + 1
		low[o] = index[o]
		stack, on[o] = append(stack, o), true
		for next := range g.edges[o] {
			if index[next] == 0 {
				visit(next)
				low[o] = min(low[o], low[next])
			} else if on[next] {
				low[o] = min(low[o], index[next])
			}
		}
		if low[o] != index[o] {
			return
		}
		group := map[*operation]bool{}
		for len(group) == 0 || !group[o] {
			top := stack[len(stack)-1]
			stack, on[top], group[top] = stack[:len(stack)-1], false, true
		}
		if len(group) > 1 {
			found = append(found, group)
		}
	}
	for o := range g.edges {
		if index[o] == 0 {
			visit(o)
		}
	}
	return found
}
