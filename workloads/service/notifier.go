package workloads

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
)

const (
	// notifyWithin is how long a worker waits for the service's answer.
	notifyWithin = 2 * time.Second
	// notifyPause is the wait before an effect is asked for again.
	notifyPause = 200 * time.Millisecond
)

// notifier asks the external service for effects, and records what became of each request: like the client, it is the
// only way a pipeline has.
type notifier struct {
	c    *client
	http *http.Client
	// keyed sends an Idempotency-Key that is the same whenever the same input is processed.
	keyed bool
}

func newNotifier(c *client, keyed bool) *notifier {
	return &notifier{c: c, http: &http.Client{Timeout: notifyWithin}, keyed: keyed}
}

// once asks for one input's effect. An error says nothing: the service may have stored it.
func (n *notifier) once(ctx context.Context, in input) error {
	err := n.post(ctx, in)
	outcome, reason := history.OutcomeConfirmed, ""
	if err != nil {
		outcome, reason = history.OutcomeUnknown, "the service did not confirm"
		slog.Warn("notify", "partition", in.partition, "offset", in.offset, "err", err)
	} else {
		n.c.w.processed.Add(1)
	}
	n.c.outputs.add(settling{txn: n.c.openTxn(), outcome: outcome, reason: reason}, in.partition)
	return err
}

// until asks again until the service confirms.
func (n *notifier) until(ctx context.Context, in input) error {
	for n.once(ctx, in) != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := wait.Sleep(ctx, notifyPause); err != nil {
			return err
		}
	}
	return nil
}

func (n *notifier) post(ctx context.Context, in input) error {
	s := n.c.w.spec
	url := fmt.Sprintf("http://%s/effects/%s/%d", s.Service, s.Pipeline, in.partition)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(n.c.value(in)))
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

// all asks for every input's effect, again until each is confirmed.
func (n *notifier) all(ctx context.Context, inputs []input) error {
	for _, in := range inputs {
		if err := n.c.w.work(ctx); err != nil {
			return err
		}
		if err := n.until(ctx, in); err != nil {
			return err
		}
	}
	if err := n.c.recordOutputs(); err != nil {
		return err
	}
	return n.c.w.gates.reach(ctx, PhaseNotified, len(inputs))
}
