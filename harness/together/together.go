// Package together does the same for several things at once and joins what went wrong.
package together

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Do calls do for every item at once, waits for all of them, and joins their errors in the items' order. One that fails
// does not stop the others.
func Do[T any](items []T, do func(T) error) error {
	_, errs := Ask(items, func(item T) (struct{}, error) { return struct{}{}, do(item) })
	return errors.Join(errs...)
}

// All calls every function at once, waits for all of them, and joins their errors in order.
func All(functions ...func() error) error {
	return Do(functions, func(f func() error) error { return f() })
}

// Ask calls ask for every item at once and waits for all of them. Answers and errors are in the items' order, with nil for
// no error: for callers that can use some answers without the others.
func Ask[T, R any](items []T, ask func(T) (R, error)) ([]R, []error) {
	answers, errs := make([]R, len(items)), make([]error, len(items))
	var g group
	for i, item := range items {
		g.start(func() { answers[i], errs[i] = ask(item) })
	}
	g.wait()
	return answers, errs
}

// AtMost calls do for 0 to n-1, at most limit of them at a time, waits for all, and joins their errors in that order.
func AtMost(limit, n int, do func(int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(limit, 1))
	var g group
	for i := range n {
		slots <- struct{}{}
		g.start(func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	g.wait()
	return errors.Join(errs...)
}

// group waits for goroutines. A panic in one of them becomes the caller's, once all have ended: the caller can clean up,
// while a panic of a goroutine would end the process.
type group struct {
	running  sync.WaitGroup
	mu       sync.Mutex
	panicked any
}

func (g *group) start(do func()) {
	g.running.Go(func() {
		defer func() {
			if v := recover(); v != nil {
				g.mu.Lock()
				defer g.mu.Unlock()
				g.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		do()
	})
}

func (g *group) wait() {
	g.running.Wait()
	if g.panicked != nil {
		panic(g.panicked)
	}
}
