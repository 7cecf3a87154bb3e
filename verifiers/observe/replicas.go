package observe

import (
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
)

const (
	// viewEvery is after how many ticks each broker is asked for its metadata again: leadership and in-sync sets change over
	// seconds.
	viewEvery = int(500 * time.Millisecond / Interval)
	// rawMetadata is the version of that question: the first has leader epochs in 7, and from 9 on all is longer.
	rawMetadata = 8
)

// view is what a broker believes of one partition.
type view struct {
	leader, epoch int32
	isr           []int32
}

// viewsOf asks for the partitions' topics. A broker that the others have fenced is gone from their metadata, and its own is
// what shows that it still believes to lead.
func viewsOf(parts map[brokers.TP]int32) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.SetVersion(rawMetadata)
	seen := map[string]bool{}
	for tp := range parts {
		if !seen[tp.Topic] {
			seen[tp.Topic] = true
			t := kmsg.NewMetadataRequestTopic()
			t.Topic = kmsg.StringPtr(tp.Topic)
			req.Topics = append(req.Topics, t)
		}
	}
	return req
}

// changedViews makes entries of what a broker sees otherwise than it did.
func (a *asker) changedViews(now history.Time) (entries []history.Entry) {
	for _, t := range a.view.Topics {
		if t.ErrorCode != 0 || t.Topic == nil {
			continue
		}
		for _, p := range t.Partitions {
			slices.Sort(p.ISR)
			tp := brokers.TP{Topic: *t.Topic, Partition: p.Partition}
			if before, seen := a.seen[tp]; seen && before.leader == p.Leader && before.epoch == p.LeaderEpoch && slices.Equal(before.isr, p.ISR) {
				continue
			}
			is := view{p.Leader, p.LeaderEpoch, slices.Clone(p.ISR)}
			a.seen[tp] = is
			entries = append(entries, &history.Replicas{
				At: now, Broker: a.broker, Topic: tp.Topic, Partition: tp.Partition, Leader: is.leader, LeaderEpoch: is.epoch, ISR: is.isr,
			})
		}
	}
	return entries
}
