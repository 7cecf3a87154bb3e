package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/phase"
	"github.com/chaeos/chaeos/workloads/worker"
)

const (
	// notifyWithin is how long a worker waits for the service's answer.
	notifyWithin = 2 * time.Second
	// notifyPause is the wait before a side effect is asked for again.
	notifyPause = 200 * time.Millisecond
)

// Notifier asks the external service for side effects, and records the outcome of each request. Like the client, it is
// the only way that a pipeline has.
type Notifier struct {
	c    *worker.Client
	http *http.Client
	// keyed sends an Idempotency-Key that is the same whenever the same input is processed.
	keyed bool
}

// NewNotifier makes a notifier, with an Idempotency-Key in each request if keyed is set.
func NewNotifier(c *worker.Client, keyed bool) *Notifier {
	return &Notifier{c: c, http: &http.Client{Timeout: notifyWithin}, keyed: keyed}
}

// Once asks for one input's side effect. An error proves nothing: the service may have stored it.
func (n *Notifier) Once(ctx context.Context, in worker.Input) error {
	err := n.post(ctx, in)
	if err != nil {
		slog.Warn("notify", "partition", in.Partition, "offset", in.Offset, "err", err)
		n.c.Resolve(in, history.OutcomeUnknown, "the service did not confirm")
		return err
	}
	n.c.Resolve(in, history.OutcomeConfirmed, "")
	return nil
}

// until asks again until the service confirms.
func (n *Notifier) until(ctx context.Context, in worker.Input) error {
	for n.Once(ctx, in) != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := wait.Sleep(ctx, notifyPause); err != nil {
			return err
		}
	}
	return nil
}

func (n *Notifier) post(ctx context.Context, in worker.Input) error {
	s := n.c.Spec
	url := fmt.Sprintf("http://%s/effects/%s/%d", s.Service, s.Pipeline, in.Partition)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(n.c.Value(in)))
	if err != nil {
		return err
	}
	if n.keyed {
		req.Header.Set(keyHeader, fmt.Sprintf("%d-%d", in.Source, in.Sequence))
	}
	resp, err := n.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the service answered %s", resp.Status)
	}
	return nil
}

// All asks for every input's side effect, again until each is confirmed.
func (n *Notifier) All(ctx context.Context, inputs []worker.Input) error {
	for _, in := range inputs {
		if err := n.c.Work(ctx); err != nil {
			return err
		}
		if err := n.until(ctx, in); err != nil {
			return err
		}
	}
	if err := n.c.RecordOutputs(); err != nil {
		return err
	}
	return n.c.Gates.Reach(ctx, phase.Notified, len(inputs))
}
