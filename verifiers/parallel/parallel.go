package parallel

import (
	"errors"
	"runtime"
)

// parallel calls do for 0 to n-1, one goroutine a processor, and joins the errors in order.
func Do(n int, do func(int) error) error {
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			errs[i] = do(i)
		}()
	}
	for range cap(slots) {
		slots <- struct{}{} // all are back once every slot is taken again
	}
	return errors.Join(errs...)
}
