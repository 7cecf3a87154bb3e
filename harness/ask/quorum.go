package ask

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// quorumTopic is the topic of the controllers' own log.
const quorumTopic = "__cluster_metadata"

// Quorum is the controller quorum, as its leader describes it.
type Quorum struct {
	// Leader is the active controller.
	Leader int
	// Heard is when the leader last answered each node that follows it, voters and observers, in milliseconds of its wall
	// clock; -1 where it never did. What it says of itself means nothing: it is always heard.
	Heard map[int]int64
}

// HeardSince reports whether the leader has heard of a node at or after a time, in milliseconds of its wall clock. It has
// always heard of itself.
func (q Quorum) HeardSince(node int, millis int64) bool {
	return node == q.Leader || q.Heard[node] >= millis
}

// Quorum asks the nodes in turn for the controller quorum. A broker forwards the question to the active controller: an
// answer proves that it lives.
func (b Brokers) Quorum(ctx context.Context) (Quorum, error) {
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic := kmsg.NewDescribeQuorumRequestTopic()
	topic.Topic = quorumTopic
	topic.Partitions = append(topic.Partitions, kmsg.NewDescribeQuorumRequestTopicPartition())
	req.Topics = append(req.Topics, topic)
	var quorum Quorum
	_, err := firstThat(ctx, b, req, func(node int, resp *kmsg.DescribeQuorumResponse) (err error) {
		quorum, err = readQuorum(resp)
		return b.failed(node, req, "", err)
	})
	return quorum, err
}

// Controller is the node that leads the controller quorum, asking the nodes in turn.
func (b Brokers) Controller(ctx context.Context) (int, error) {
	quorum, err := b.Quorum(ctx)
	return quorum.Leader, err
}

var errNoController = errors.New("no active controller is known; wait for an election")

func readQuorum(resp *kmsg.DescribeQuorumResponse) (Quorum, error) {
	if err := CodeError(resp.ErrorCode, resp.ErrorMessage); err != nil {
		return Quorum{}, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return Quorum{}, errLeftOut
	}
	p := resp.Topics[0].Partitions[0]
	if err := CodeError(p.ErrorCode, p.ErrorMessage); err != nil {
		return Quorum{}, err
	}
	if p.LeaderID < 0 {
		return Quorum{}, errNoController
	}
	quorum := Quorum{Leader: int(p.LeaderID), Heard: map[int]int64{}}
	for _, v := range slices.Concat(p.CurrentVoters, p.Observers) {
		quorum.Heard[int(v.ReplicaID)] = v.LastFetchTimestamp
	}
	return quorum, nil
}
