// Package fakequorum is for tests: it makes kfake answer what a run asks of a cluster and kfake doesn't know.
package fakequorum

import (
	"context"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Answer makes kfake answer that the given node leads the controller quorum, announce the request for that, and name one
// finalised feature, transaction.version 2.
func Answer(ctx context.Context, kafka *kfake.Cluster, controller int32) error {
	can, err := announced(ctx, kafka)
	if err != nil {
		return err
	}
	quorum := kmsg.NewApiVersionsResponseApiKey()
	quorum.ApiKey, quorum.MaxVersion = int16(kmsg.DescribeQuorum), 2
	can = append(can, quorum)
	kafka.ControlKey(int16(kmsg.ApiVersions), func(req kmsg.Request) (kmsg.Response, error, bool) {
		kafka.KeepControl()
		resp := req.ResponseKind().(*kmsg.ApiVersionsResponse)
		resp.ApiKeys = can
		feature := kmsg.NewApiVersionsResponseFinalizedFeature()
		feature.Name, feature.MaxVersionLevel = "transaction.version", 2
		resp.FinalizedFeatures = append(resp.FinalizedFeatures, feature)
		return resp, nil, true
	})
	kafka.ControlKey(int16(kmsg.DescribeQuorum), func(req kmsg.Request) (kmsg.Response, error, bool) {
		kafka.KeepControl()
		return describe(req, controller), nil, true
	})
	return nil
}

// announced are the requests that kfake announces by itself.
func announced(ctx context.Context, kafka *kfake.Cluster) ([]kmsg.ApiVersionsResponseApiKey, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	can, err := kmsg.NewPtrApiVersionsRequest().RequestWith(ctx, client)
	if err != nil {
		return nil, err
	}
	return can.ApiKeys, nil
}

func describe(req kmsg.Request, controller int32) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DescribeQuorumResponse)
	partition := kmsg.NewDescribeQuorumResponseTopicPartition()
	partition.LeaderID = controller
	topic := kmsg.NewDescribeQuorumResponseTopic()
	topic.Topic, topic.Partitions = "__cluster_metadata", append(topic.Partitions, partition)
	resp.Topics = append(resp.Topics, topic)
	return resp
}
