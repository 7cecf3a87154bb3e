// Package together does the same for several things at once and joins what went wrong.
package together

import (
	"errors"
	"sync"
)

// Do calls do for every item at once, waits for all of them, and joins their errors in the items' order. One that fails
// does not stop the others.
func Do[T any](items []T, do func(T) error) error {
	_, errs := Ask(items, func(item T) (struct{}, error) { return struct{}{}, do(item) })
	return errors.Join(errs...)
}

// Ask calls ask for every item at once and waits for all of them. Answers and errors are in the items' order, an error nil
// where there was none: for callers who can use some answers without the others.
func Ask[T, R any](items []T, ask func(T) (R, error)) ([]R, []error) {
	answers, errs := make([]R, len(items)), make([]error, len(items))
	var asking sync.WaitGroup
	for i, item := range items {
		asking.Go(func() { answers[i], errs[i] = ask(item) })
	}
	asking.Wait()
	return answers, errs
}

// AtMost calls do for 0 to n-1, at most limit of them at a time, waits for all, and joins their errors in that order.
func AtMost(limit, n int, do func(int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, max(limit, 1))
	var doing sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		doing.Go(func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		})
	}
	doing.Wait()
	return errors.Join(errs...)
}
