package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/source"
)

// acks1 is a producer alone: a source that writes straight to the measured topic with acks=1 and idempotence off.
//
// It claims at-least-once: every record is acknowledged by its leader and retried until it is. The claim breaks when a
// leader acknowledges what no follower has fetched yet and then loses its leadership: the new leader never had those
// records, and the old one truncates them when it comes back. The producer is not informed.
func acks1() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "acks1",
			Claims:       harness.AtLeastOnce,
			About:        "a producer with acks=1 and idempotence off, writing straight to the measured topic",
			ProducerOnly: true,
			Deviations:   []string{"acks=1, enable.idempotence=false"},
		},
		producer:   source.Config{Producer: []kgo.Opt{kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite()}},
		loop:       loopOfSource,
		breaksWhen: "a leader acknowledges what no follower has, and loses its leadership",
		cost:       "acknowledged records at every unclean change of leader",
	}
}
