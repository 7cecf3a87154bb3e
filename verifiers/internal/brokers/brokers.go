// Package brokers asks single brokers single questions with raw requests: franz-go's metadata cache and its retries on
// moved leadership are in the way where a cut-off leader's answer must be told from the current one's.
package brokers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TP is a topic's partition.
type TP struct {
	Topic     string
	Partition int32
}

func (t TP) String() string { return fmt.Sprintf("%s/%d", t.Topic, t.Partition) }

// Leader is who leads a partition, in which epoch.
type Leader struct {
	Broker, Epoch int32
	TopicID       [16]byte
	// Address is what the broker advertises, as whoever named it as leader knows it.
	Address string
}

// Leaders asks every node for the leaders of topics and believes the newest epoch. Partitions without a leader are left
// out. It fails only when no node answers.
func Leaders(ctx context.Context, client *kgo.Client, nodes []int, topics []string) (map[TP]Leader, error) {
	// A plain metadata request makes the client learn the brokers' addresses; without it a single broker can't be asked.
	first, err := metadata(topics).RequestWith(ctx, client)
	leaders := map[TP]Leader{}
	if err == nil {
		newest(leaders, first)
	}
	answered := err == nil
	responses, errs := make([]kmsg.Response, len(nodes)), make([]error, len(nodes))
	var all sync.WaitGroup
	for i, node := range nodes {
		all.Go(func() { responses[i], errs[i] = client.Broker(node).Request(ctx, metadata(topics)) })
	}
	all.Wait()
	for i := range nodes {
		if errs[i] != nil {
			err = errors.Join(err, errs[i])
			continue
		}
		answered = true
		newest(leaders, responses[i].(*kmsg.MetadataResponse))
	}
	if !answered {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return leaders, nil
}

func metadata(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, t)
	}
	return req
}

func newest(leaders map[TP]Leader, resp *kmsg.MetadataResponse) {
	addresses := map[int32]string{}
	for _, b := range resp.Brokers {
		addresses[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	for _, t := range resp.Topics {
		if t.Topic == nil {
			continue
		}
		for _, p := range t.Partitions {
			tp := TP{*t.Topic, p.Partition}
			if known, ok := leaders[tp]; p.Leader >= 0 && (!ok || p.LeaderEpoch > known.Epoch) {
				leaders[tp] = Leader{Broker: p.Leader, Epoch: p.LeaderEpoch, TopicID: t.TopicID, Address: addresses[p.Leader]}
			}
		}
	}
}

// Timestamps that ListOffsets takes for the two ends of a log.
const (
	Earliest int64 = -2
	Latest   int64 = -1
)

// Offset is one broker's answer for one partition.
type Offset struct {
	Offset int64
	Epoch  int32
	Err    error
}

// Ask is one ListOffsets question: isolation level 0 answers the high watermark as the end, 1 the last stable offset.
type Ask struct {
	// LogEnd asks for the log's own end instead, replicated or not: brokers tell it to the debugging replica (id -2), and
	// then followers answer too.
	LogEnd    bool
	Isolation int8
	Timestamp int64
	// Partitions go with the leader epoch to insist on (-1: none).
	Partitions map[TP]int32
}

// ListOffsets asks one broker, without retries.
func ListOffsets(ctx context.Context, client *kgo.Client, broker int32, ask Ask) (map[TP]Offset, error) {
	return ListOffsetsOf(ctx, client.Broker(int(broker)), broker, ask)
}

// ListOffsetsOf asks a broker over one of the client's own connections; the number is for the error.
func ListOffsetsOf(ctx context.Context, conn *kgo.Broker, broker int32, ask Ask) (map[TP]Offset, error) {
	resp, err := conn.Request(ctx, listOffsets(ask))
	if err != nil {
		return nil, fmt.Errorf("list offsets of broker %d: %w", broker, err)
	}
	answers := map[TP]Offset{}
	ReadOffsets(resp.(*kmsg.ListOffsetsResponse), answers)
	return answers, nil
}

// RawListOffsets is the version of RawListOffsetsRequest: the first in which brokers say that they can't know an offset yet,
// and one that all since 2.3 know.
const RawListOffsets = 5

// RawListOffsetsRequest is a question for a Conn.
func RawListOffsetsRequest(ask Ask) *kmsg.ListOffsetsRequest {
	req := listOffsets(ask)
	req.SetVersion(RawListOffsets)
	return req
}

// ReadOffsets adds what a broker answered to answers.
func ReadOffsets(resp *kmsg.ListOffsetsResponse, answers map[TP]Offset) {
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			answers[TP{t.Topic, p.Partition}] = Offset{p.Offset, p.LeaderEpoch, kerr.ErrorForCode(p.ErrorCode)}
		}
	}
}

func listOffsets(ask Ask) *kmsg.ListOffsetsRequest {
	req := kmsg.NewPtrListOffsetsRequest()
	req.ReplicaID = -1
	if ask.LogEnd {
		req.ReplicaID = -2
	}
	req.IsolationLevel = ask.Isolation
	at := map[string]int{}
	for tp, epoch := range ask.Partitions {
		i, ok := at[tp.Topic]
		if !ok {
			i = len(req.Topics)
			at[tp.Topic] = i
			t := kmsg.NewListOffsetsRequestTopic()
			t.Topic = tp.Topic
			req.Topics = append(req.Topics, t)
		}
		p := kmsg.NewListOffsetsRequestTopicPartition()
		p.Partition, p.CurrentLeaderEpoch, p.Timestamp = tp.Partition, epoch, ask.Timestamp
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, p)
	}
	return req
}
