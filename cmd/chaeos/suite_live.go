package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chaeos/chaeos/harness/suite"
)

// underWay are the runs of a suite that run now.
type underWay struct {
	mu    sync.Mutex // guards items: runs begin and end side by side
	items []suite.Item
}

func (u *underWay) begin(i suite.Item) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.items = append(u.items, i)
}

func (u *underWay) end(i suite.Item) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.items = slices.DeleteFunc(u.items, func(other suite.Item) bool { return other == i })
}

// text is how far the suite is and what it does, for a live terminal.
func (u *underWay) text(done, of int) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	var names []string
	for _, i := range u.items {
		names = append(names, i.String())
	}
	return strings.TrimSuffix(fmt.Sprintf("%d of %d runs done, now %s", done, of, strings.Join(names, ", ")), ", now ")
}
