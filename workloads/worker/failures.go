package workloads

import "sync"

// failures collects the records whose produce did not succeed.
type failures struct {
	mu     sync.Mutex
	inputs []input
}

func (f *failures) done(in input, err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inputs = append(f.inputs, in)
}

// take returns the records that failed and forgets them. Call it after a flush: until then promises add to it.
func (f *failures) take() []input {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.inputs
	f.inputs = nil
	return taken
}
