package protocol

import (
	"encoding/json"
	"io"
	"sync"
)

// Teller writes events, one line each, from any goroutine.
type Teller struct {
	mu  sync.Mutex
	out *json.Encoder
}

// NewTeller returns a teller that writes to out.
func NewTeller(out io.Writer) *Teller { return &Teller{out: json.NewEncoder(out)} }

// Tell writes one event. It drops what it can't write: if the harness no longer listens, the end of standard input ends
// the process.
func (t *Teller) Tell(e Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.out.Encode(e)
}
