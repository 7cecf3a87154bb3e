package observe

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

const (
	// effectsEvery is how often the service's store is read.
	effectsEvery = 50 * time.Millisecond
	// effectsAtOnce bounds what is read of one partition at a time.
	effectsAtOnce = 1000
)

// watchEffects reads the side effects that the external service has accepted as the live reader reads topics, until ctx is
// done.
func (l *live) watchEffects(ctx context.Context) {
	next := map[string]map[int32]int64{}
	for _, o := range l.byPipeline {
		if o.layout.Effects {
			next[o.layout.Name] = map[int32]int64{}
		}
	}
	if len(next) == 0 {
		return
	}
	var store *effects.Reader
	err := wait.Poll(ctx, effectsEvery, func() (bool, error) {
		var err error
		if store == nil {
			if store, err = effects.Open(effects.Path(l.dir)); errors.Is(err, os.ErrNotExist) {
				return false, nil // the service has not started yet
			}
		}
		if err == nil {
			err = l.takeEffects(ctx, store, next)
		}
		if ctx.Err() != nil {
			return true, nil
		}
		return false, err
	})
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	if ctx.Err() == nil {
		l.fail(err)
	}
}

// takeEffects takes the side effects that are new in every partition, as records of a poll.
func (l *live) takeEffects(ctx context.Context, store *effects.Reader, next map[string]map[int32]int64) error {
	for pipeline, partitions := range next {
		topic := kgo.FetchTopic{Topic: l.byPipeline[pipeline].layout.Output}
		for p := range int32(l.partitions) {
			fresh, err := store.From(ctx, pipeline, p, partitions[p], effectsAtOnce)
			if err != nil {
				return err
			}
			part := kgo.FetchPartition{Partition: p}
			for _, e := range fresh {
				part.Records = append(part.Records, &kgo.Record{Topic: topic.Topic, Partition: p, Offset: e.Offset, Value: e.Value})
				partitions[p] = e.Offset + 1
			}
			if len(fresh) > 0 {
				topic.Partitions = append(topic.Partitions, part)
			}
		}
		if len(topic.Partitions) > 0 {
			l.take(kgo.Fetches{{Topics: []kgo.FetchTopic{topic}}}, history.Now())
		}
	}
	return nil
}
