package observe

import (
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

const (
	// viewEvery is after how many ticks each broker is asked for its metadata again: leaders and in-sync sets change in the
	// course of seconds.
	viewEvery = int(500 * time.Millisecond / Interval)
	// rawMetadata is the version of that question: leader epochs came with 7, and from 9 on everything is longer.
	rawMetadata = 8
)

// view is what a broker believes of one partition.
type view struct {
	leader, epoch int32
	isr           []int32
}

// viewsOf asks for the partitions' topics. A broker that the others have fenced is gone from their metadata. Only its own
// shows that it still believes to be a leader.
func viewsOf(parts map[ask.TopicPartition]int32) *kmsg.MetadataRequest {
	req := ask.MetadataRequest(ask.Topics(slices.Collect(maps.Keys(parts)))...)
	req.SetVersion(rawMetadata)
	return req
}

// changedViews returns an entry for each partition that the broker now sees differently.
func (a *asker) changedViews(now history.Time) (entries []history.Entry) {
	for tp, state := range ask.States(a.view) {
		slices.Sort(state.ISR)
		is := view{int32(state.Leader), state.LeaderEpoch, state.ISR}
		if before, known := a.recorded[tp]; known && before.leader == is.leader && before.epoch == is.epoch && slices.Equal(before.isr, is.isr) {
			continue
		}
		is.isr = slices.Clone(is.isr) // the answer's memory is used again
		a.recorded[tp] = is
		entries = append(entries, &history.Replicas{
			Stamp: history.At(now), Broker: a.broker, Topic: tp.Topic, Partition: tp.Partition, Leader: is.leader, LeaderEpoch: is.epoch, ISR: is.isr,
		})
	}
	return entries
}
