package inject

import (
	"sync"

	"github.com/chaeos/chaeos/harness"
)

// ran knows which pipelines had a process that ran while a fault was active: one whose workers were all dead or paused shows
// nothing of what happened meanwhile, however much waits for them.
type ran struct {
	mu         sync.Mutex
	known, any map[string]bool
}

func newRan() *ran { return &ran{known: map[string]bool{}, any: map[string]bool{}} }

// look notes who runs now.
func (r *ran) look(f *harness.Field) {
	if f.Fleet == nil {
		return
	}
	members := f.Fleet.Members()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range members {
		r.known[m.Pipeline] = true
		if m.State == harness.MemberRunning {
			r.any[m.Pipeline] = true
		}
	}
}

// none reports whether the pipeline has processes, and none of them ran at any look.
func (r *ran) none(pipeline string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[pipeline] && !r.any[pipeline]
}

// NothingRan ends the proof of a fault that no process of a pipeline was there to see.
const NothingRan = ", but no process of it ran meanwhile"
