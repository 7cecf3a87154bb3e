package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/source"
)

// acksAll is a producer with acks=all, idempotence off and one request in flight to each broker.
//
// It claims at-least-once: a record is acknowledged when every in-sync replica has it, and retried until then. The claim
// breaks only if acknowledged replicas can be lost (min.insync.replicas=1, unclean elections, power loss). A request whose
// answer is lost is sent again, and its whole batch is stored twice: allowed, but not wanted. With one request in flight
// the copies are adjacent, so first copies stay in order.
func acksAll() Pipeline {
	return acksAllWith(harness.PipelineInfo{
		Name:         "acks-all",
		Claims:       harness.AtLeastOnce,
		About:        "a producer with acks=all, idempotence off and one request in flight",
		ProducerOnly: true,
		Deviations:   []string{"enable.idempotence=false, max.in.flight.requests.per.connection=1"},
	}, 1)
}

// acksAllWith is acks=all without idempotence, with at most inFlight requests in flight to each broker.
func acksAllWith(info harness.PipelineInfo, inFlight int) Pipeline {
	return Pipeline{
		PipelineInfo: info,
		producer: source.Config{Producer: []kgo.Opt{
			kgo.RequiredAcks(kgo.AllISRAcks()), kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(inFlight),
		}},
		loop:       loopOfSource,
		breaksWhen: "every in-sync replica of a record is lost (min.insync.replicas=1, unclean election, power loss)",
		cost:       "a whole batch twice for each answer that gets lost",
	}
}
