package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/protocol"
	"github.com/chaeos/chaeos/workloads/source"
)

// line is one on a process's standard input or output, as far as the benchmark speaks.
type line struct {
	ID    uint64 `json:"id,omitempty"`
	Do    string `json:"do,omitempty"`
	Event string `json:"event,omitempty"`
	Error string `json:"error,omitempty"`
}

// beBare is a source with nothing of ours in it: the same client, with the same orders in the same way, and one value for all
// records. It keeps no history, and counts what was acknowledged.
func beBare(ctx context.Context, in io.Reader, out io.Writer) error {
	lines, events := json.NewDecoder(in), json.NewEncoder(out)
	var s protocol.Spec
	if err := lines.Decode(&s); err != nil {
		return err
	}
	client, err := kgo.NewClient(source.Options(s)...)
	if err != nil {
		return err
	}
	if err := events.Encode(line{Event: "ready"}); err != nil {
		return err
	}
	var feed line
	if err := lines.Decode(&feed); err != nil {
		return err
	}
	if err := produce(ctx, client, s); err != nil {
		return err
	}
	client.Close()
	return events.Encode(line{Event: "done"})
}

// produce is the shortest loop that sends records that differ: each has a value of its own, as any producer's has, cut
// from noise made before. Sending one buffer over and over would measure a processor's cache.
func produce(ctx context.Context, client *kgo.Client, s protocol.Spec) error {
	noise := history.AppendInput(nil, history.Input{}, 1<<20)
	var acked atomic.Uint64
	promise := func(_ *kgo.Record, err error) {
		if err == nil {
			acked.Add(1)
		}
	}
	for i := range s.Count {
		from := i * 8191 % uint64(len(noise)-s.Load.RecordSize)
		value := append([]byte(nil), noise[from:from+uint64(s.Load.RecordSize)]...)
		client.Produce(ctx, &kgo.Record{Topic: s.Output, Partition: int32(i % uint64(s.Partitions)), Value: value}, promise)
	}
	if err := client.Flush(ctx); err != nil {
		return err
	}
	if n := acked.Load(); n != s.Count {
		return fmt.Errorf("%d of %d records were acknowledged", n, s.Count)
	}
	return nil
}
