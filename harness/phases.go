package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chaeos/chaeos/harness/history"
)

// phase is one part of a run, with its own deadline. What it does returns a few words for the record.
type phase struct {
	name   string
	within time.Duration
	do     func(context.Context) (note string, err error)
}

var errPhaseTooLong = errors.New("took too long")

// phase does one phase and records when it began and ended, and how.
func (r *run) phase(ctx context.Context, p phase) error {
	r.rooms.Terminal.Phase(p.name, "")
	ctx, cancel := context.WithTimeoutCause(ctx, p.within, errPhaseTooLong)
	defer cancel()
	rec := PhaseRecord{Name: p.name, Start: history.Now()}
	note, err := p.do(ctx)
	rec.End, rec.Note = history.Now(), note
	if note != "" {
		r.rooms.Terminal.Note(note)
	}
	if err != nil && errors.Is(context.Cause(ctx), errPhaseTooLong) {
		err = fmt.Errorf("not done within %s: %w", p.within, err)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", p.name, err)
		rec.Error = err.Error()
	}
	r.record.Phases = append(r.record.Phases, rec)
	return err
}
