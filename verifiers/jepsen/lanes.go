package jepsen

import "slices"

// processes numbers processes. As in Jepsen, one whose operation may or may not have taken place does nothing more: who
// it stood for goes on as another.
type processes struct{ next int }

func (p *processes) another() int {
	p.next++
	return p.next - 1
}

// lanes are the processes of who has several operations under way at once: each takes the lowest process that is free,
// so that who does one thing after the other is one process.
type lanes struct {
	from *processes
	free []int
}

func (l *lanes) take() int {
	if len(l.free) == 0 {
		return l.from.another()
	}
	n := l.free[0]
	l.free = l.free[1:]
	return n
}

// give takes a process back once its operation has completed.
func (l *lanes) give(o *op) {
	if o.outcome == info {
		return
	}
	i, _ := slices.BinarySearch(l.free, o.process)
	l.free = slices.Insert(l.free, i, o.process)
}
