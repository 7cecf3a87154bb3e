// Package proxies is what every provider shares of a cluster's proxies: a Toxiproxy server that counts bytes while
// connections are open, and the set of a cluster's links, made through Toxiproxy's client.
package proxies

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/collectors"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/chaeos/chaeos/harness"
)

// bytesPath is where a server answers with its counters; other paths are Toxiproxy's own API.
const bytesPath = "/chaeos/bytes"

// Server is Toxiproxy in this process.
type Server struct{ counter *counter }

// Serve serves Toxiproxy's API, and the counters, on listener until the process ends. Its log goes to log, errors only.
func Serve(listener net.Listener, log io.Writer) (*Server, error) {
	registry := prometheus.NewRegistry()
	metrics := toxiproxy.NewMetricsContainer(registry)
	metrics.ProxyMetrics = collectors.NewProxyMetricCollectors()
	zerolog.SetGlobalLevel(zerolog.ErrorLevel) // some toxics trace to a logger of their own
	server := toxiproxy.NewServer(metrics, zerolog.New(log).Level(zerolog.ErrorLevel))
	counter, err := newCounter(server, registry)
	if err != nil {
		return nil, err
	}
	s := &Server{counter: counter}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+bytesPath, s.answer)
	mux.Handle("/", server.Routes())
	api := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = api.Serve(listener) }() // ends with the process, or with the listener
	return s, nil
}

// Count counts until ctx ends; without it, connections that come and go between two calls of Bytes are counted less well.
func (s *Server) Count(ctx context.Context) { s.counter.run(ctx) }

// Bytes reads the counters of every proxy.
func (s *Server) Bytes() (map[string]harness.LinkBytes, error) { return s.counter.read() }

func (s *Server) answer(w http.ResponseWriter, _ *http.Request) {
	all, err := s.Bytes()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(all) // the caller is gone
}

// AskBytes reads the counters of the server whose API is at address.
func AskBytes(ctx context.Context, address string) (map[string]harness.LinkBytes, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+bytesPath, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the proxies' counters: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the proxies' counters: %s", response.Status)
	}
	var all map[string]harness.LinkBytes
	return all, json.NewDecoder(response.Body).Decode(&all)
}
