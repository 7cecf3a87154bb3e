package toxics

import (
	"net/http"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// stepper counts every step that a fault takes: requests to brokers, calls of Toxiproxy, operations on nodes and members.
// At a chosen one it cancels, while that step is under way: it is done, and no longer waited for.
type stepper struct {
	mu     sync.Mutex
	n, at  int
	cancel func()
}

func (s *stepper) step() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n++; s.n == s.at {
		s.cancel()
	}
}

// cancelAt begins to count from 1.
func (s *stepper) cancelAt(step int, cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n, s.at, s.cancel = 0, step, cancel
}

// reached ends it, and reports whether there was such a step.
func (s *stepper) reached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	reached := s.n >= s.at
	s.at = 0
	return reached
}

func (s *stepper) countRequests(kafka *kfake.Cluster) {
	kafka.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		s.step()
		return nil, nil, false
	})
}

func (s *stepper) counts(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.step()
		api.ServeHTTP(w, r)
	})
}
