package ask

import (
	"context"
	"errors"
	"iter"
	"net"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// PartitionState is one partition as a broker's metadata shows it.
type PartitionState struct {
	// Leader is -1 where there is none.
	Leader      int
	LeaderEpoch int32
	ISR         []int32
	// Replicas are in order of preference.
	Replicas []int32
}

func (s PartitionState) epoch() int32 { return s.LeaderEpoch }

// InSync reports whether the partition has a leader and every replica is in sync.
func (s PartitionState) InSync() bool { return s.Leader >= 0 && len(s.ISR) == len(s.Replicas) }

// Metadata is what brokers believe of the cluster.
type Metadata struct {
	// Brokers are those that are registered and not fenced, sorted; Addresses are what they advertise.
	Brokers   []int
	Addresses map[int]string
	// Topics are by topic and partition. A topic that no broker knows is missing.
	Topics   map[string]map[int32]PartitionState
	TopicIDs map[string][16]byte
}

// Metadata asks the nodes in turn for fresh metadata of the topics; none asks for all. One broker's answer may be old: see
// Newest.
func (b Brokers) Metadata(ctx context.Context, topics ...string) (Metadata, error) {
	resp, err := First[*kmsg.MetadataResponse](ctx, b, MetadataRequest(topics...))
	if err != nil {
		return Metadata{}, err
	}
	md := newMetadata()
	md.add(resp)
	return md, nil
}

// ErrUnknownTopics is the answer of brokers that know none of the topics they were asked about.
var ErrUnknownTopics = errors.New("no broker that answered knows any of the topics; check their names, or ask again")

// Newest asks every node at once, and believes of each partition the answer with the highest leader epoch: a broker that
// was cut off answers with what it knew. It also returns the nodes that answered. It fails when none did, and with
// ErrUnknownTopics when topics are named and none is known.
func (b Brokers) Newest(ctx context.Context, topics ...string) (Metadata, []int, error) {
	answers, err := answered(All[*kmsg.MetadataResponse](ctx, b, func() kmsg.Request { return MetadataRequest(topics...) }))
	if err != nil {
		return Metadata{}, nil, err
	}
	md := newMetadata()
	var nodes []int
	for _, a := range answers {
		md.add(a.Response)
		nodes = append(nodes, a.Node)
	}
	if len(topics) > 0 && len(md.Topics) == 0 {
		return md, nodes, ErrUnknownTopics
	}
	return md, nodes, nil
}

// Leader is who leads a partition, and in which epoch.
type Leader struct {
	Node    int
	Epoch   int32
	TopicID [16]byte
	// Address is what the leader advertises, "" where no broker that answered knows it.
	Address string
}

// Leaders are the leaders of the topics' partitions by the newest leader epoch that any node knows. Partitions without a
// leader are left out. It fails as Newest does.
func (b Brokers) Leaders(ctx context.Context, topics ...string) (map[TopicPartition]Leader, error) {
	md, _, err := b.Newest(ctx, topics...)
	if err != nil {
		return nil, err
	}
	leaders := map[TopicPartition]Leader{}
	for topic, partitions := range md.Topics {
		for p, state := range partitions {
			if state.Leader >= 0 {
				leaders[TopicPartition{topic, p}] = Leader{state.Leader, state.LeaderEpoch, md.TopicIDs[topic], md.Addresses[state.Leader]}
			}
		}
	}
	return leaders, nil
}

// Registered lists the brokers that are registered and not fenced, sorted, asking the nodes in turn. It asks for no topic.
func (b Brokers) Registered(ctx context.Context) ([]int, error) {
	req := MetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // nil would be all
	resp, err := First[*kmsg.MetadataResponse](ctx, b, req)
	if err != nil {
		return nil, err
	}
	md := newMetadata()
	md.add(resp)
	return md.Brokers, nil
}

// MetadataRequest asks for topics, or for all where none is named.
func MetadataRequest(topics ...string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, topic)
	}
	return req
}

// States goes through the partitions of an answer, without those of topics that the broker doesn't know. The lists are the
// answer's own.
func States(resp *kmsg.MetadataResponse) iter.Seq2[TopicPartition, PartitionState] {
	return func(yield func(TopicPartition, PartitionState) bool) {
		for i := range resp.Topics {
			t := &resp.Topics[i]
			if t.ErrorCode != 0 || t.Topic == nil {
				continue
			}
			for _, p := range t.Partitions {
				state := PartitionState{Leader: int(p.Leader), LeaderEpoch: p.LeaderEpoch, ISR: p.ISR, Replicas: p.Replicas}
				if !yield(TopicPartition{*t.Topic, p.Partition}, state) {
					return
				}
			}
		}
	}
}

func newMetadata() Metadata {
	return Metadata{Addresses: map[int]string{}, Topics: map[string]map[int32]PartitionState{}, TopicIDs: map[string][16]byte{}}
}

// add takes what is newer in an answer.
func (md *Metadata) add(resp *kmsg.MetadataResponse) {
	for _, b := range resp.Brokers {
		node := int(b.NodeID)
		if at, known := slices.BinarySearch(md.Brokers, node); !known {
			md.Brokers = slices.Insert(md.Brokers, at, node)
		}
		md.Addresses[node] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	for _, t := range resp.Topics {
		if t.ErrorCode == 0 && t.Topic != nil {
			md.TopicIDs[*t.Topic] = t.TopicID
		}
	}
	for tp, state := range States(resp) {
		partitions := md.Topics[tp.Topic]
		if partitions == nil {
			partitions = map[int32]PartitionState{}
			md.Topics[tp.Topic] = partitions
		}
		keepNewest(partitions, tp.Partition, state)
	}
}

// keepNewest takes an answer unless there is one of the same or a newer leader epoch.
func keepNewest[K comparable, S interface{ epoch() int32 }](answers map[K]S, key K, answer S) {
	if known, ok := answers[key]; !ok || answer.epoch() > known.epoch() {
		answers[key] = answer
	}
}
