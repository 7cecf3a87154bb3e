package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// api is the keeper's side of the commands: HTTP and JSON over a unix socket. An error is any status from 400 up, with
// its text as the body.
type api struct {
	server *http.Server
	keeper *keeper
}

// serveAPI serves commands on the unix socket at path until the process ends.
func serveAPI(path string, k *keeper) (*api, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("the keeper's socket (is the temporary folder's path too long?): %w", err)
	}
	a := &api{keeper: k}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /description", answer(func(*http.Request) (any, error) { return k.describe(), nil }))
	mux.HandleFunc("GET /nodes", answer(func(*http.Request) (any, error) { return a.nodes(), nil }))
	mux.HandleFunc("POST /nodes/{node}/{operation}", answer(a.operate))
	mux.HandleFunc("POST /nodes/{node}/disk/wipe", answer(a.wipe))
	mux.HandleFunc("POST /nodes/{node}/disk/cut", answer(a.cut))
	mux.HandleFunc("POST /clients/{client}", answer(a.clientLinks))
	mux.HandleFunc("GET /bytes", answer(func(*http.Request) (any, error) { return k.proxies.Bytes() }))
	mux.HandleFunc("POST /close", answer(a.close))
	a.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = a.server.Serve(listener) }()
	return a, nil
}

// answer turns a function into a handler that writes its result as JSON.
func answer(do func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		result, err := do(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // the caller is gone
	}
}

func (a *api) nodes() []harness.NodeStatus {
	all := make([]harness.NodeStatus, 0, len(a.keeper.nodes))
	for _, n := range a.keeper.nodes {
		all = append(all, n.status())
	}
	return all
}

func (a *api) node(r *http.Request) (*node, error) {
	id, err := strconv.Atoi(r.PathValue("node"))
	if err != nil {
		return nil, err
	}
	return a.keeper.node(id)
}

func (a *api) operate(r *http.Request) (any, error) {
	n, err := a.node(r)
	if err != nil {
		return nil, err
	}
	operations := map[string]func(context.Context) error{
		"kill": n.Kill, "stop": n.Stop, "pause": n.Pause, "resume": n.Resume, "start": n.Start,
	}
	operation := operations[r.PathValue("operation")]
	if operation == nil {
		return nil, fmt.Errorf("no operation on a node is called %q", r.PathValue("operation"))
	}
	if err := operation(r.Context()); err != nil {
		return nil, err
	}
	return n.status(), nil
}

// linksMade answers a request for a client's links: the addresses to dial, and every link there is now.
type linksMade struct {
	Dials harness.Dials  `json:"dials"`
	Links []harness.Link `json:"links"`
}

func (a *api) clientLinks(r *http.Request) (any, error) {
	dials, err := a.keeper.proxies.clientLinks(r.PathValue("client"))
	if err != nil {
		return nil, err
	}
	return linksMade{Dials: dials, Links: a.keeper.proxies.All()}, nil
}

// close answers once nothing is left but the keeper itself, which ends when the answer is sent.
func (a *api) close(*http.Request) (any, error) {
	defer a.keeper.end(errClosed)
	return struct{}{}, a.keeper.teardown()
}
