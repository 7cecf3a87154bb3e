package workloads

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
)

const (
	// roleService is the role of the external service's process.
	roleService = "service"
	// serviceName is the service's name as a member of the fleet.
	serviceName = "service"
	// keyHeader is the header whose value the service honours once for each pipeline.
	keyHeader = "Idempotency-Key"
	// mostBody bounds a request's body.
	mostBody = 4 << 20
)

// service is the external service: it accepts effects over HTTP and stores each durably before it answers. It knows
// nothing of Kafka.
type service struct {
	store    *effects.Store
	gates    *gates
	server   *http.Server
	listener net.Listener
	stopping context.Context //nolint:containedctx // the process's own state, done when it must end in order
	// accepted counts effects that were stored.
	accepted atomic.Uint64
}

// openService opens the store and listens: on any free port in its first life, on the same one after that.
func openService(stopping context.Context, s spec, g *gates) (*service, error) {
	store, err := effects.Create(s.Effects)
	if err != nil {
		return nil, err
	}
	address := s.Service
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("service: %w", err), store.Close())
	}
	v := &service{store: store, gates: g, listener: listener, stopping: stopping}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /effects/{pipeline}/{partition}", v.accept)
	v.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return v, nil
}

var _ sender = (*service)(nil)

// run serves until the process must end, and then lets requests under way finish.
func (v *service) run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- v.server.Serve(v.listener) }()
	select {
	case err := <-ended:
		return errors.Join(fmt.Errorf("service: %w", err), v.store.Close())
	case <-v.stopping.Done():
	}
	return errors.Join(v.server.Shutdown(ctx), v.store.Close())
}

func (v *service) counters() counters { return counters{Processed: v.accepted.Load()} }

// accept stores one effect and then answers, unless it was told to misbehave: what it does then happens after the effect
// is stored, so that its caller can't know.
func (v *service) accept(w http.ResponseWriter, r *http.Request) {
	partition, err := strconv.ParseInt(r.PathValue("partition"), 10, 32)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, mostBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key, err := v.keyOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	// What was read is stored although its caller may have given up meanwhile: that is what services do.
	stored, err := v.store.Accept(r.PathValue("pipeline"), int32(partition), key, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if stored {
		v.accepted.Add(1)
	}
	if v.gates.waitsAt(PhaseFailing) || v.gates.waitsAt(PhaseStored) {
		logged(v.store.Unconfirmed(r.PathValue("pipeline"))) // the fault's proof
	}
	if v.gates.waitsAt(PhaseFailing) {
		logged(v.gates.announce(PhaseFailing, 1))
		http.Error(w, "the service was told to fail after it stored", http.StatusInternalServerError)
		return
	}
	if err := v.gates.reach(r.Context(), PhaseStored, 1); err != nil {
		return // its caller no longer waits
	}
	w.WriteHeader(http.StatusNoContent)
}

// keyOf is the key that a request's effect is stored with. A service that was told to forget has none left, as one whose
// keys have expired or were in a cache.
func (v *service) keyOf(r *http.Request) (string, error) {
	if !v.gates.waitsAt(PhaseForgetting) {
		return r.Header.Get(keyHeader), nil
	}
	if err := v.store.Forget(); err != nil {
		return "", err
	}
	return "", v.gates.announce(PhaseForgetting, 1)
}

// serviceInfo is what the service's process has phases for.
func serviceInfo() Pipeline {
	return Pipeline{PipelineInfo: harness.PipelineInfo{Name: serviceName, Phases: []string{PhaseStored, PhaseFailing, PhaseForgetting}}}
}

// announce tells that the armed phase was reached without waiting there.
func (g *gates) announce(phase string, held int) error {
	a := g.armed.Load()
	if a == nil || a.phase != phase {
		return nil
	}
	a.announce.Do(func() { a.err = g.at(history.Phase{At: history.Now(), Name: phase, Held: uint64(held)}) })
	return a.err
}
