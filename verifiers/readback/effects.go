package readback

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// effectsAtOnce is how many side effects are read at once.
const effectsAtOnce = 500

// readEffects saves what the external service accepted in the form of a log, so that side effects are judged as an output
// topic is: every one is visible, none is transactional, and the store's own count is the log's end.
func (r *reading) readEffects(ctx context.Context) error {
	var store *effects.Reader
	for _, layout := range r.spec.Plan.Pipelines {
		if !layout.Effects {
			continue
		}
		if store == nil {
			var err error
			if store, err = effects.Open(effects.Path(r.spec.Dir)); errors.Is(err, os.ErrNotExist) {
				return nil // the service never stored anything: the partitions are missing from the index
			} else if err != nil {
				return err
			}
			defer func() { _ = store.Close() }() // it was only read
		}
		for p := range int32(r.spec.Plan.Partitions) {
			if err := r.readEffectsOf(ctx, store, layout, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reading) readEffectsOf(ctx context.Context, store *effects.Reader, layout harness.PipelineLayout, partition int32) error {
	p := observation.Partition{Topic: layout.Output, Partition: partition, Leader: -1, LeaderEpoch: -1}
	var err error
	if p.HW, err = store.End(ctx, layout.Name, partition); err != nil {
		return err
	}
	p.LSO = p.HW
	out, err := observation.Create(observation.File(r.spec.Dir, p.Topic, partition), observation.Header{Run: r.spec.RunID, Topic: p.Topic, Partition: partition})
	if err != nil {
		return err
	}
	saved, err := r.saveEffects(ctx, store, layout.Name, partition, out)
	if err != nil {
		return errors.Join(err, out.Abandon())
	}
	if err := out.Close(); err != nil {
		return err
	}
	p.Batches, p.Records = out.Totals()
	p.Reached, p.Complete, p.Committed = saved.next, saved.next == p.HW, saved.sum.saved()
	again, err := r.saveEffects(ctx, store, layout.Name, partition, nil)
	if err != nil {
		return err
	}
	p.Client = again.sum.saved()
	if p.HWAfter, err = store.End(ctx, layout.Name, partition); err != nil {
		return err
	}
	p.LSOAfter = p.HWAfter
	if p.HWAfter != p.HW {
		p.Writer = fmt.Sprintf("the service accepted %d more", p.HWAfter-p.HW)
	}
	r.index.Partitions = append(r.index.Partitions, p)
	return nil
}

// effectsRead is what was read of one partition's side effects.
type effectsRead struct {
	next int64
	sum  sum
}

// saveEffects reads a partition's side effects in order, and saves them where out is set: those accepted at one moment as
// one batch with that time. Like a log, they must have no hole.
func (r *reading) saveEffects(ctx context.Context, store *effects.Reader, pipeline string, partition int32, out *observation.Writer) (got effectsRead, err error) {
	w := walker{run: r.spec.RunID}
	for {
		some, err := store.From(ctx, pipeline, partition, got.next, effectsAtOnce)
		if err != nil || len(some) == 0 {
			return got, err
		}
		for len(some) > 0 {
			n := acceptedTogether(some)
			if err := got.take(&w, some[:n]); err != nil {
				return got, fmt.Errorf("side effects of %s, partition %d: %w", pipeline, partition, err)
			}
			some = some[n:]
			if out == nil {
				continue
			}
			if err := out.Write(&w.batch); err != nil {
				return got, err
			}
		}
	}
}

// acceptedTogether is how many side effects, from the first on, were accepted at one moment.
func acceptedTogether(some []effects.Effect) int {
	if n := slices.IndexFunc(some, func(e effects.Effect) bool { return e.Accepted != some[0].Accepted }); n > 0 {
		return n
	}
	return len(some)
}

// take makes side effects the walker's batch, and adds them up.
func (got *effectsRead) take(w *walker, some []effects.Effect) error {
	w.batch = observation.Batch{
		First: got.next, Last: got.next + int64(len(some)) - 1, ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1,
		MaxTimestamp: some[0].Accepted, Count: int32(len(some)), Records: w.batch.Records[:0],
	}
	for _, e := range some {
		if e.Offset != got.next {
			return fmt.Errorf("%d comes after %d", e.Offset, got.next-1)
		}
		isOutput, err := history.DecodeInto(e.Value, &w.value)
		got.sum.add(e.Offset, digest(e.Value, err))
		w.keep(e.Offset, isOutput, err)
		got.next++
	}
	return nil
}
