package service

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

	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/protocol"
)

const (
	// keyHeader is the header whose value the service honours once for each pipeline.
	keyHeader = "Idempotency-Key"
	// mostBody bounds a request's body, in bytes.
	mostBody = 4 << 20
)

// phases are where the service can be armed.
var phases = []string{phase.Stored, phase.Failing, phase.Forgetting}

// service accepts side effects over HTTP and stores each durably before it answers. It knows nothing of Kafka.
type service struct {
	*member.Process
	store    *effects.Store
	server   *http.Server
	listener net.Listener
	// accepted counts side effects that were stored.
	accepted atomic.Uint64
}

// Open opens the store and listens: on any free port in the first incarnation, on the same one after that.
func Open(p *member.Process) (member.Program, error) {
	store, err := effects.Create(p.Spec.Effects)
	if err != nil {
		return member.Program{}, err
	}
	address := p.Spec.Service
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return member.Program{}, errors.Join(fmt.Errorf("service: %w", err), store.Close())
	}
	v := &service{Process: p, store: store, listener: listener}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /effects/{pipeline}/{partition}", v.accept)
	v.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return member.Program{Run: v.run, Counters: v.counters, Phases: phases, Address: listener.Addr().String()}, nil
}

// run serves until the process must end, and then lets requests under way finish.
func (v *service) run(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- v.server.Serve(v.listener) }()
	select {
	case err := <-ended:
		return errors.Join(fmt.Errorf("service: %w", err), v.store.Close())
	case <-v.Stopping.Done():
	}
	return errors.Join(v.server.Shutdown(ctx), v.store.Close())
}

func (v *service) counters() protocol.Counters {
	return protocol.Counters{Processed: v.accepted.Load()}
}

// accept stores one side effect and then answers, unless it is armed to misbehave. It does that after the side effect is
// stored, so that its caller can't know.
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
	// A request that was read is stored even if its caller has given up meanwhile, as services do.
	if err := v.storeOnce(r, int32(partition), body); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	v.answer(w, r)
}

// storeOnce stores a request's side effect, unless the service knows its key.
func (v *service) storeOnce(r *http.Request, partition int32, body []byte) error {
	key, err := v.key(r)
	if err != nil {
		return err
	}
	stored, err := v.store.Accept(r.PathValue("pipeline"), partition, key, body)
	if err == nil && stored {
		v.accepted.Add(1)
	}
	return err
}

// key is the key under which a request's side effect is stored. A service that is armed to forget has none left, like one
// whose keys have expired or were in a cache.
func (v *service) key(r *http.Request) (string, error) {
	if !v.Gates.Armed(phase.Forgetting) {
		return r.Header.Get(keyHeader), nil
	}
	if err := v.store.Forget(); err != nil {
		return "", err
	}
	return "", v.Gates.Announce(phase.Forgetting, 1)
}

// answer confirms the side effect, late, or not at all.
func (v *service) answer(w http.ResponseWriter, r *http.Request) {
	failing := v.Gates.Armed(phase.Failing)
	if failing || v.Gates.Armed(phase.Stored) {
		member.Logged(v.store.Unconfirmed(r.PathValue("pipeline"))) // the fault's proof
	}
	if failing {
		member.Logged(v.Gates.Announce(phase.Failing, 1))
		http.Error(w, "the service is armed to fail after it stored", http.StatusInternalServerError)
		return
	}
	if err := v.Gates.Reach(r.Context(), phase.Stored, 1); err != nil {
		return // its caller no longer waits
	}
	w.WriteHeader(http.StatusNoContent)
}
