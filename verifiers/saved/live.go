package saved

import (
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// Live is what the observer recorded of the cluster while the run went on.
type Live struct {
	// Recorded means that an observer's history exists.
	Recorded bool
	// Until is the newest sample or delivery of any partition: a partition that was last sampled before it has a gap at its end.
	Until       history.Time
	Standstills map[ask.TopicPartition]*standstill
	// DeliveredTo is the end of what the live reader was delivered, Highest the highest watermark by leader epoch.
	DeliveredTo map[ask.TopicPartition]int64
	Highest     map[ask.TopicPartition]map[int32]int64
	// LogEnds are the highest log ends that leaders showed, by leader epoch; Leaderships when brokers said that they lead.
	LogEnds     map[ask.TopicPartition]map[int32]int64
	Leaderships map[ask.TopicPartition]map[int32]Leadership
	Latency     map[string]Latencies
	AtLSO       transactionsAtLSO
	// Sequences reports whether the reader distinguished inputs by their sequences too.
	Sequences bool
	// DataLoss is what the live reader's client heard of logs that ended below where it was.
	DataLoss map[ask.TopicPartition][]DataLoss
	// LSOAdvanced is what coordinators said of those transactions once the last stable offset had advanced.
	LSOAdvanced map[OffsetOf]*history.LSOAdvanced
}

// Latencies are a pipeline's histograms: the last before the load began, and the last of all.
type Latencies struct{ Warm, Last []byte }

func newLiveLog() *Live {
	return &Live{
		Standstills: map[ask.TopicPartition]*standstill{}, DeliveredTo: map[ask.TopicPartition]int64{}, Highest: map[ask.TopicPartition]map[int32]int64{},
		LogEnds: map[ask.TopicPartition]map[int32]int64{}, Leaderships: map[ask.TopicPartition]map[int32]Leadership{}, Latency: map[string]Latencies{},
		AtLSO: transactionsAtLSO{}, LSOAdvanced: map[OffsetOf]*history.LSOAdvanced{},
		DataLoss: map[ask.TopicPartition][]DataLoss{},
	}
}

func (l *Live) add(e history.Entry, loadStart history.Time) {
	switch e := e.(type) {
	case *history.Sample:
		l.sample(e)
	case *history.LogEnd:
		raise(l.LogEnds, ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}, e.LeaderEpoch, e.End)
	case *history.DeliveredLive:
		l.Until = max(l.Until, e.At)
		at := ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}
		l.DeliveredTo[at] = max(l.DeliveredTo[at], e.To)
	case *history.Latency:
		x := l.Latency[e.Pipeline]
		if e.At <= loadStart {
			x.Warm = append(x.Warm[:0], e.HDR...)
		}
		x.Last = append(x.Last[:0], e.HDR...)
		l.Latency[e.Pipeline] = x
	case *history.Mark:
		l.mark(e)
	case *history.TransactionAtLSO:
		l.AtLSO.add(e)
	case *history.LSOAdvanced:
		copied := *e
		l.LSOAdvanced[OffsetOf{TopicPartition: ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}, Offset: e.LSO}] = &copied
	}
}

func (l *Live) sample(e *history.Sample) {
	l.Until = max(l.Until, e.At)
	at := ask.TopicPartition{Topic: e.Topic, Partition: e.Partition}
	s, ok := l.Standstills[at]
	if !ok {
		s = &standstill{}
		l.Standstills[at] = s
	}
	s.add(e)
	if e.Broker < 0 {
		return
	}
	raise(l.Highest, at, e.LeaderEpoch, e.HW)
	c, ok := l.Leaderships[at][e.LeaderEpoch]
	if !ok {
		if l.Leaderships[at] == nil {
			l.Leaderships[at] = map[int32]Leadership{}
		}
		c.First = e.At
	}
	c.First, c.Last = min(c.First, e.At), max(c.Last, e.At)
	l.Leaderships[at][e.LeaderEpoch] = c
}

// raise keeps the highest offset that an epoch showed.
func raise(m map[ask.TopicPartition]map[int32]int64, at ask.TopicPartition, epoch int32, offset int64) {
	if m[at] == nil {
		m[at] = map[int32]int64{}
	}
	m[at][epoch] = max(m[at][epoch], offset)
}

// Leadership is the time over which a broker said that it leads a partition in some epoch.
type Leadership struct{ First, Last history.Time }

// EpochAt is the oldest leader epoch whose high watermark reached an offset (-1: none was sampled that high).
func (l *Live) EpochAt(at ask.TopicPartition, offset int64) int32 {
	for _, epoch := range slices.Sorted(maps.Keys(l.Highest[at])) {
		if l.Highest[at][epoch] >= offset {
			return epoch
		}
	}
	return -1
}
