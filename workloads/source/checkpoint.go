package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/phase"
)

// checkpoint is a source's own place in a file: the next sequence to send.
type checkpoint struct {
	path string
	// every is how many blocks go between two checkpoints; blocks counts them.
	every, blocks int
	// saved is the place that the file holds.
	saved uint64
}

// OpenCheckpointed makes the program of a source that saves its place in a file after each number of blocks (of a tenth
// of a second each), and starts from there, whatever an earlier incarnation sent after it.
func OpenCheckpointed(p *member.Process, c Config, every int) (member.Program, error) {
	at := &checkpoint{path: p.Spec.Checkpoint, every: every}
	if err := at.load(); err != nil {
		return member.Program{}, err
	}
	src, err := open(p, c)
	if err != nil {
		return member.Program{}, err
	}
	src.next = at.saved
	src.afterBlock = func(ctx context.Context) error { return at.after(ctx, src) }
	return src.program(src.run), nil
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

// after is called after each block. When a checkpoint is due it waits for the acknowledgements, and only then saves.
func (c *checkpoint) after(ctx context.Context, s *source) error {
	if c.blocks++; c.blocks%c.every != 0 {
		return nil
	}
	if s.kafka.Flush(ctx) != nil || s.pending.Load() > 0 {
		return nil // out of time: nothing is saved that isn't acknowledged
	}
	if err := s.Record(s.outcomes.take(true)...); err != nil {
		return err
	}
	if err := s.Gates.Reach(ctx, phase.Acked, int(s.next-c.saved)); err != nil {
		return err
	}
	if err := c.save(s.next); err != nil {
		return err
	}
	return s.Gates.Reach(ctx, phase.Checkpointed, 0)
}

// save replaces the file whole, so that a kill leaves the old place or the new one.
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
