package ask

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// namedOffsets is the last version of OffsetFetch that names topics: later ones know ids only.
const namedOffsets = 9

// CommittedOffsets asks a group's coordinator for its committed offsets (-1: none). Without partitions it returns what the
// group has committed anywhere, else all of them or an error. Stable asks with RequireStable: it fails while a transaction
// holds one of them (UNSTABLE_OFFSET_COMMIT). A group that never was has committed nothing.
func (b Brokers) CommittedOffsets(ctx context.Context, group string, stable bool, partitions ...TopicPartition) (map[TopicPartition]int64, error) {
	req := offsetFetch(group, stable, partitions)
	resp, node, err := Coordinated[*kmsg.OffsetFetchResponse](ctx, b, group, Pin(req, namedOffsets))
	if err != nil {
		return nil, err
	}
	if len(resp.Groups) != 1 {
		return nil, b.failed(node, req, group, errLeftOut)
	}
	g := resp.Groups[0]
	if err := b.refused(node, req, group, g.ErrorCode, nil); isUnknownGroup(err) {
		return noneCommitted(partitions), nil
	} else if err != nil {
		return nil, err
	}
	offsets := map[TopicPartition]int64{}
	for _, t := range g.Topics {
		for _, p := range t.Partitions {
			tp := TopicPartition{t.Topic, p.Partition}
			if err := b.refused(node, req, group+" in "+tp.String(), p.ErrorCode, nil); err != nil {
				return nil, err
			}
			if p.Offset >= 0 || len(partitions) > 0 {
				offsets[tp] = p.Offset
			}
		}
	}
	for _, tp := range partitions {
		if _, ok := offsets[tp]; !ok {
			return nil, b.failed(node, req, group+" in "+tp.String(), errLeftOut)
		}
	}
	return offsets, nil
}

func offsetFetch(group string, stable bool, partitions []TopicPartition) *kmsg.OffsetFetchRequest {
	req := kmsg.NewPtrOffsetFetchRequest()
	req.RequireStable = stable
	g := kmsg.NewOffsetFetchRequestGroup()
	g.Group = group // its topics stay nil, all, unless some are asked for
	topics, numbers := byTopic(partitions)
	for _, name := range topics {
		topic := kmsg.NewOffsetFetchRequestGroupTopic()
		topic.Topic, topic.Partitions = name, numbers[name]
		g.Topics = append(g.Topics, topic)
	}
	req.Groups = append(req.Groups, g)
	return req
}
