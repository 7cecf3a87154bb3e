package readback

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// replicaOf reads everything back, and returns what the index says of one follower, and the whole entry.
func replicaOf(t *testing.T, c *fakecluster.Cluster, tp ask.TopicPartition, node int32) (observation.Replica, *observation.Partition) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, Run(within(t), harness.ReadBackSpec{Dir: dir, RunID: runID, Cluster: c, Plan: plan}))
	index, err := observation.LoadIndex(dir)
	require.NoError(t, err)
	require.NotNil(t, index.Replicas)
	p := index.Partition(tp.Topic, tp.Partition)
	i := slices.IndexFunc(p.Replicas, func(r observation.Replica) bool { return r.Broker == node })
	require.GreaterOrEqual(t, i, 0)
	return p.Replicas[i], p
}

// dishonest makes a follower answer with a log of its own: the leader's, changed.
func dishonest(t *testing.T, c *fakecluster.Cluster, tp ask.TopicPartition, change func(raw []byte) []byte) (node int32) {
	t.Helper()
	return dishonestFor(t, c, tp, math.MaxInt, change)
}

// dishonestFor makes it do so for some answers.
func dishonestFor(t *testing.T, c *fakecluster.Cluster, tp ask.TopicPartition, answers int, change func(raw []byte) []byte) (node int32) {
	t.Helper()
	client := c.Client(t, "raw", kgo.ConsumePartitions(nil))
	leader := c.Fake.LeaderFor(tp.Topic, tp.Partition)
	node = (leader + 1) % fakecluster.Nodes
	req := question{tp: tp, offset: c.Fake.PartitionInfo(tp.Topic, tp.Partition).LogStartOffset}.request(ask.Leader{TopicID: c.Fake.TopicInfo(tp.Topic).TopicID, Epoch: -1})
	req.MaxBytes, req.Topics[0].Partitions[0].PartitionMaxBytes = 1<<30, 1<<30
	resp, err := client.Broker(int(leader)).Request(within(t), req)
	require.NoError(t, err)
	log := change(slices.Clone(resp.(*kmsg.FetchResponse).Topics[0].Partitions[0].RecordBatches))
	c.Fake.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		req := kreq.(*kmsg.FetchRequest)
		if c.Fake.CurrentNode() != node || !asks(c, req, tp) || answers == 0 {
			return nil, nil, false
		}
		answers--
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		topic, partition := kmsg.NewFetchResponseTopic(), kmsg.NewFetchResponseTopicPartition()
		topic.Topic, topic.TopicID = req.Topics[0].Topic, req.Topics[0].TopicID
		partition.Partition = tp.Partition
		partition.RecordBatches = from(log, req.Topics[0].Partitions[0].FetchOffset)
		topic.Partitions = append(topic.Partitions, partition)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	return node
}

// asks reports whether a Fetch is about one partition alone, as those of the read-back are.
func asks(c *fakecluster.Cluster, req *kmsg.FetchRequest, tp ask.TopicPartition) bool {
	if len(req.Topics) != 1 || len(req.Topics[0].Partitions) != 1 || req.Topics[0].Partitions[0].Partition != tp.Partition {
		return false
	}
	return req.Topics[0].Topic == tp.Topic || req.Topics[0].TopicID == c.Fake.TopicInfo(tp.Topic).TopicID
}

// from is a log from the batch on that holds an offset.
func from(log []byte, offset int64) []byte {
	var b kmsg.RecordBatch
	for len(log) >= batchHeader {
		size, err := header(log, &b)
		if err != nil || lastOffset(&b) >= offset {
			return log
		}
		log = log[size:]
	}
	return nil
}

// batchAt is the n-th batch of a log, with its place.
func batchAt(t *testing.T, log []byte, n int) (begin, end int, b kmsg.RecordBatch) {
	t.Helper()
	for ; ; n-- {
		size, err := header(log[begin:], &b)
		require.NoError(t, err)
		if n == 0 {
			return begin, begin + int(size), b
		}
		begin += int(size)
	}
}

func TestFollowersAreCompared(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	for node := range int32(fakecluster.Nodes) {
		if int(node) == int(c.Fake.LeaderFor(tp.Topic, tp.Partition)) {
			continue
		}
		r, p := replicaOf(t, c, tp, node)
		require.Len(t, p.Replicas, 2)
		require.Equal(t, observation.Replica{Broker: node, Reached: p.HW}, r)
	}
}

func TestFollowersThatHoldSomethingElse(t *testing.T) {
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	for name, x := range map[string]struct {
		change func(t *testing.T, log []byte) []byte
		// batches are those that differ.
		batches []int
		what    func(t *testing.T, f *observation.Fork)
	}{
		"an older leader epoch": {func(t *testing.T, log []byte) []byte {
			begin, _, b := batchAt(t, log, 1)
			binary.BigEndian.PutUint32(log[begin+12:], uint32(b.PartitionLeaderEpoch+1))
			return log
		}, []int{1}, func(t *testing.T, f *observation.Fork) { require.Equal(t, f.Leader.LeaderEpoch+1, f.Other.LeaderEpoch) }},
		"another record, with its checksum": {func(t *testing.T, log []byte) []byte {
			begin, end, _ := batchAt(t, log, 0)
			log[end-3] ^= 1
			binary.BigEndian.PutUint32(log[begin+17:], crc32.Checksum(log[begin+crcFrom:end], castagnoli))
			return log
		}, []int{0}, func(t *testing.T, f *observation.Fork) { require.NotEqual(t, f.Leader.CRC, f.Other.CRC) }},
		"a damaged record": {func(t *testing.T, log []byte) []byte {
			_, end, _ := batchAt(t, log, 0)
			log[end-3] ^= 1
			return log
		}, []int{0}, func(t *testing.T, f *observation.Fork) { require.True(t, f.Other.Damaged) }},
		"a batch that is missing": {func(t *testing.T, log []byte) []byte {
			begin, end, _ := batchAt(t, log, 1)
			return slices.Delete(log, begin, end)
		}, []int{1}, func(t *testing.T, f *observation.Fork) { require.Nil(t, f.Other) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := fakecluster.New(t, parts, "in", "out")
			fill(t, c)
			var want uint64
			var first int64
			node := dishonest(t, c, tp, func(log []byte) []byte {
				for i := len(x.batches) - 1; i >= 0; i-- {
					_, _, b := batchAt(t, log, x.batches[i])
					want, first = want+uint64(b.LastOffsetDelta)+1, b.FirstOffset
				}
				return x.change(t, log)
			})
			r, _ := replicaOf(t, c, tp, node)
			require.Empty(t, r.Failure)
			require.Equal(t, want, r.Forks)
			require.Equal(t, first, r.First.Offset)
			x.what(t, r.First)
		})
	}
}

// long writes a log of several segments to a partition, and returns how many offsets it has.
func long(t *testing.T, c *fakecluster.Cluster, tp ask.TopicPartition) int64 {
	t.Helper()
	const n = 3*segmentOffsets + 100
	client := c.Client(t, "long", kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ManualFlushing())
	ctx := within(t)
	for i := range n {
		client.Produce(ctx, output(tp.Partition, int64(i), 1), nil)
		if i%100 == 99 || i == n-1 { // a batch
			require.NoError(t, client.Flush(ctx))
		}
	}
	require.EqualValues(t, n, c.Fake.PartitionInfo(tp.Topic, tp.Partition).HighWatermark)
	return n
}

// straddling is the number of the batch that holds an offset and the one before it, and its bounds.
func straddling(t *testing.T, log []byte, offset int64) (n int, first, last int64) {
	t.Helper()
	for ; ; n++ {
		_, _, b := batchAt(t, log, n)
		if lastOffset(&b) >= offset {
			return n, b.FirstOffset, lastOffset(&b)
		}
	}
}

// flip changes one record of a log's n-th batch, with its checksum.
func flip(t *testing.T, log []byte, n int) []byte {
	t.Helper()
	begin, end, _ := batchAt(t, log, n)
	log[end-3] ^= 1
	binary.BigEndian.PutUint32(log[begin+17:], crc32.Checksum(log[begin+crcFrom:end], castagnoli))
	return log
}

// TestForksBetweenSegments: a batch that lies in two segments is counted once, whole; one in which the log starts from there on.
func TestForksBetweenSegments(t *testing.T) {
	for name, start := range map[string]int64{"a whole log": 0, "a log that starts in the batch": 2*segmentOffsets + 1} {
		t.Run(name, func(t *testing.T) {
			c := fakecluster.New(t, parts, "in", "out")
			tp := ask.TopicPartition{Topic: "out", Partition: 1}
			hw := long(t, c, tp)
			if start > 0 {
				client := c.Client(t, "delete")
				deleted, err := kadm.NewClient(client).DeleteRecords(within(t), kadm.Offsets{tp.Topic: {tp.Partition: {Topic: tp.Topic, Partition: tp.Partition, At: start}}})
				require.NoError(t, err)
				require.NoError(t, deleted.Error())
			}
			var want uint64
			var first int64
			node := dishonest(t, c, tp, func(log []byte) []byte {
				n, from, last := straddling(t, log, 2*segmentOffsets)
				require.Less(t, from, int64(2*segmentOffsets))
				require.Greater(t, last, int64(2*segmentOffsets))
				first = max(from, start)
				want = uint64(last - first + 1)
				return flip(t, log, n)
			})
			r, p := replicaOf(t, c, tp, node)
			require.Empty(t, r.Failure)
			require.Equal(t, start, p.LogStart)
			require.Equal(t, hw, r.Reached)
			require.Equal(t, want, r.Forks)
			require.Equal(t, first, r.First.Offset)
		})
	}
}

// TestDifferenceThatIsGone: what differed in one reading only proves nothing, and is not passed over.
func TestDifferenceThatIsGone(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	node := dishonestFor(t, c, tp, 1, func(log []byte) []byte { return flip(t, log, 1) })
	r, p := replicaOf(t, c, tp, node)
	require.Contains(t, r.Failure, errNoMore.Error())
	require.Zero(t, r.Forks)
	require.False(t, r.Agrees(p.LogStart, p.HW))
}

// TestLeaderThatMoved: the log was read from two brokers then, and all are compared.
func TestLeaderThatMoved(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	leader := c.Fake.LeaderFor(tp.Topic, tp.Partition)
	c.Fake.ControlKey(int16(kmsg.OffsetFetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, nil, c.Fake.MoveTopicPartition(tp.Topic, tp.Partition, (leader+1)%fakecluster.Nodes) != nil
	})
	_, index := run(t, c)
	p := index.Partition(tp.Topic, tp.Partition)
	require.Equal(t, leader, p.Leader)
	require.Len(t, p.Replicas, fakecluster.Nodes)
	for _, r := range p.Replicas {
		require.True(t, r.Agrees(p.LogStart, p.HW), r)
	}
}

// TestFollowersOwnBounds: a follower in sync that could not be read is asked what it holds. What was read is compared all the same.
func TestFollowersOwnBounds(t *testing.T) {
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	for name, x := range map[string]struct {
		change func(t *testing.T, log []byte) []byte
		own    func(hw int64) observation.Bounds
		forks  uint64
	}{
		"begins later":             {func(*testing.T, []byte) []byte { return nil }, func(hw int64) observation.Bounds { return observation.Bounds{Start: 2, End: hw} }, 0},
		"ends early":               {cutLast, func(hw int64) observation.Bounds { return observation.Bounds{Start: 0, End: hw - 1} }, 0},
		"ends early, after a fork": {func(t *testing.T, log []byte) []byte { return cutLast(t, flip(t, log, 0)) }, func(hw int64) observation.Bounds { return observation.Bounds{Start: 0, End: hw - 1} }, 1},
		"has them all, it answers": {cutLast, func(hw int64) observation.Bounds { return observation.Bounds{Start: 0, End: hw} }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits for progress
			c := fakecluster.New(t, parts, "in", "out")
			fill(t, c)
			own := x.own(c.Fake.PartitionInfo(tp.Topic, tp.Partition).HighWatermark)
			node := dishonest(t, c, tp, func(log []byte) []byte { return x.change(t, log) })
			c.Fake.ControlKey(int16(kmsg.ListOffsets), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
				c.Fake.KeepControl()
				req := kreq.(*kmsg.ListOffsetsRequest)
				if c.Fake.CurrentNode() != node || req.ReplicaID != -2 {
					return nil, nil, false
				}
				return bounds(req, own), nil, true
			})
			r, p := replicaOf(t, c, tp, node)
			require.NotEmpty(t, r.Failure)
			require.Equal(t, &own, r.Own)
			require.Equal(t, x.forks, r.Forks)
			require.Equal(t, uint64(own.Start+p.HW-own.End), r.Lacks(p.LogStart, p.HW))
		})
	}
}

// cutLast takes the last batch off a log.
func cutLast(t *testing.T, log []byte) []byte {
	t.Helper()
	for n := 0; ; n++ {
		if begin, end, _ := batchAt(t, log, n); end == len(log) {
			return log[:begin]
		}
	}
}

// bounds answers a question for where one replica's log begins or ends.
func bounds(req *kmsg.ListOffsetsRequest, own observation.Bounds) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
	topic, p := kmsg.NewListOffsetsResponseTopic(), kmsg.NewListOffsetsResponseTopicPartition()
	topic.Topic, p.Partition, p.Offset = req.Topics[0].Topic, req.Topics[0].Partitions[0].Partition, own.End
	if req.Topics[0].Partitions[0].Timestamp == -2 {
		p.Offset = own.Start
	}
	topic.Partitions = append(topic.Partitions, p)
	resp.Topics = append(resp.Topics, topic)
	return resp
}

// TestFollowerThatAnswersNothing: a replica that can't be read is named, and nothing waits for it for ever.
func TestFollowerThatAnswersNothing(t *testing.T) {
	c := fakecluster.New(t, parts, "in", "out")
	fill(t, c)
	tp := ask.TopicPartition{Topic: "out", Partition: 1}
	node := (c.Fake.LeaderFor(tp.Topic, tp.Partition) + 1) % fakecluster.Nodes
	c.Fake.ControlKey(int16(kmsg.Fetch), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.Fake.KeepControl()
		if c.Fake.CurrentNode() != node || !asks(c, kreq.(*kmsg.FetchRequest), tp) {
			return nil, nil, false
		}
		resp := kreq.ResponseKind().(*kmsg.FetchResponse)
		resp.ErrorCode = kerr.KafkaStorageError.Code
		return resp, nil, true
	})
	r, p := replicaOf(t, c, tp, node)
	require.Contains(t, r.Failure, "KAFKA_STORAGE_ERROR")
	require.True(t, p.Complete, "the log itself was read")
}
