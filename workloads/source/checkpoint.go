package workloads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/harness/history"
)

// checkpoint is a source's own position in a file: the next sequence to send.
type checkpoint struct {
	path   string
	blocks int
	// saved is the position that the file holds.
	saved uint64
}

// openCheckpointed makes a source that goes on from its checkpoint, whatever earlier lives sent after it.
func openCheckpointed(stopping context.Context, s spec, hist *history.Writer, p Pipeline, g *gates) (sender, error) {
	c := &checkpoint{path: s.Checkpoint}
	if err := c.load(); err != nil {
		return nil, err
	}
	src, err := openSource(stopping, s, hist, p, g)
	if err != nil {
		return nil, err
	}
	src.next = c.saved
	src.afterBlock = func(ctx context.Context) error { return c.after(ctx, src) }
	return src, nil
}

func (c *checkpoint) load() error {
	data, err := os.ReadFile(c.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		c.saved, err = strconv.ParseUint(strings.TrimSpace(string(data)), 10, 64)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// after is called after each block: at every checkpointEvery-th it waits for the acknowledgements, and only then saves.
func (c *checkpoint) after(ctx context.Context, s *source) error {
	if c.blocks++; c.blocks%checkpointEvery != 0 {
		return nil
	}
	if s.kafka.Flush(ctx) != nil || s.pending.Load() > 0 {
		return nil // out of time: nothing is saved that isn't acknowledged
	}
	if err := s.record(s.settled.take(true)...); err != nil {
		return err
	}
	if err := s.gates.reach(ctx, PhaseAcked, int(s.next-c.saved)); err != nil {
		return err
	}
	if err := c.save(s.next); err != nil {
		return err
	}
	return s.gates.reach(ctx, PhaseCheckpointed, 0)
}

// save replaces the file whole, so that a kill leaves the old position or the new one.
func (c *checkpoint) save(next uint64) error {
	temporary := c.path + ".new"
	err := os.WriteFile(temporary, strconv.AppendUint(nil, next, 10), 0o644)
	if err == nil {
		err = os.Rename(temporary, c.path)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	c.saved = next
	return nil
}
