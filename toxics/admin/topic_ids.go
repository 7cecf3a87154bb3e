package admin

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
)

// TopicIDs asks for the ids of topics, in hexadecimal: newer requests name topics by them. It waits until some broker knows
// each topic, for a rule without the id would never match.
func TopicIDs(ctx context.Context, f *harness.Field, topics []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, ShownWithin)
	defer cancel()
	known := map[string]string{}
	err := Until(ctx, func() error {
		var failures []error
		for _, node := range f.Cluster.Info().Nodes {
			if len(known) == len(topics) {
				return nil
			}
			failures = append(failures, addTopicIDs(ctx, f, node, topics, known))
		}
		for _, name := range topics {
			if known[name] == "" {
				return errors.Join(append(failures, fmt.Errorf("no broker knows topic %s", name))...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ids of topics: %w", err)
	}
	return slices.Sorted(maps.Values(known)), nil
}

// addTopicIDs adds the ids that one broker knows.
func addTopicIDs(ctx context.Context, f *harness.Field, node int, topics []string, known map[string]string) error {
	req := kmsg.NewPtrMetadataRequest()
	for _, name := range topics {
		topic := kmsg.NewMetadataRequestTopic()
		topic.Topic = kmsg.StringPtr(name)
		req.Topics = append(req.Topics, topic)
	}
	resp, err := AskNodes[*kmsg.MetadataResponse](ctx, f.Admin, []int{node}, req)
	if err != nil {
		return err
	}
	for _, t := range resp.Topics {
		if t.Topic != nil && t.TopicID != ([16]byte{}) {
			known[*t.Topic] = hex.EncodeToString(t.TopicID[:])
		}
	}
	return nil
}
