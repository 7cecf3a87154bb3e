package workloads

import "github.com/chaeos/chaeos/harness"

// acksAllPipelined is acksAll with five requests in flight: the Java client's default before it turned idempotence on.
//
// It claims at-least-once, and holds as long as acks-all does. If the answer to one request is lost while the next
// request is already stored, the retry comes after it: these duplicates are also out of order.
func acksAllPipelined() Pipeline {
	p := acksAllWith(harness.PipelineInfo{
		Name:         "acks-all-pipelined",
		Claims:       harness.AtLeastOnce,
		About:        "a producer with acks=all, idempotence off and five requests in flight",
		ProducerOnly: true,
		Deviations:   []string{"enable.idempotence=false, max.in.flight.requests.per.connection=5"},
	}, 5)
	p.cost = "a whole batch twice, and out of order, for each answer that gets lost"
	return p
}
