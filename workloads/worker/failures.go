package worker

import "sync"

// Failures collects the records whose produce did not succeed.
type Failures struct {
	mu     sync.Mutex
	inputs []Input
}

// Done is an output's promise.
func (f *Failures) Done(in Input, err error) {
	if err == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inputs = append(f.inputs, in)
}

// Take returns the records that failed and forgets them. Call it after a flush: until then promises add to it.
func (f *Failures) Take() []Input {
	f.mu.Lock()
	defer f.mu.Unlock()
	taken := f.inputs
	f.inputs = nil
	return taken
}
