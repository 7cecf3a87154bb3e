package ask

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// ShareOffset is where a share group stands in one partition.
type ShareOffset struct {
	// Start is the share-partition's start offset, below which every record was acknowledged or given up (KIP-932); -1 where
	// the group never was.
	Start int64
	// Lag counts the records from there to the log's end that are neither (KIP-1226).
	Lag int64
}

// ShareOffsets asks a share group's coordinator for where it stands in partitions. It is all of them or an error.
func (b Brokers) ShareOffsets(ctx context.Context, group string, partitions ...TopicPartition) (map[TopicPartition]ShareOffset, error) {
	req := shareOffsets(group, partitions)
	resp, node, err := Coordinated[*kmsg.DescribeShareGroupOffsetsResponse](ctx, b, group, req)
	if err != nil {
		return nil, err
	}
	if len(resp.Groups) != 1 {
		return nil, b.failed(node, req, group, errLeftOut)
	}
	g := resp.Groups[0]
	offsets := map[TopicPartition]ShareOffset{}
	if err := b.refused(node, req, group, g.ErrorCode, g.ErrorMessage); isUnknownGroup(err) {
		for tp, none := range noneCommitted(partitions) {
			offsets[tp] = ShareOffset{none, none}
		}
		return offsets, nil
	} else if err != nil {
		return nil, err
	}
	for _, t := range g.Topics {
		for _, p := range t.Partitions {
			tp := TopicPartition{t.Topic, p.Partition}
			if err := b.refused(node, req, group+" in "+tp.String(), p.ErrorCode, p.ErrorMessage); err != nil {
				return nil, err
			}
			offsets[tp] = ShareOffset{p.StartOffset, p.Lag}
		}
	}
	for _, tp := range partitions {
		if _, ok := offsets[tp]; !ok {
			return nil, b.failed(node, req, group+" in "+tp.String(), errLeftOut)
		}
	}
	return offsets, nil
}

func shareOffsets(group string, partitions []TopicPartition) *kmsg.DescribeShareGroupOffsetsRequest {
	req := kmsg.NewPtrDescribeShareGroupOffsetsRequest()
	g := kmsg.NewDescribeShareGroupOffsetsRequestGroup()
	g.GroupID = group
	topics, numbers := byTopic(partitions)
	for _, name := range topics {
		topic := kmsg.NewDescribeShareGroupOffsetsRequestGroupTopic()
		topic.Topic, topic.Partitions = name, numbers[name]
		g.Topics = append(g.Topics, topic)
	}
	req.Groups = append(req.Groups, g)
	return req
}
