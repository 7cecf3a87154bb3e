package workloads

import "github.com/chaeos/chaeos/harness"

// idempotentProducer is a producer with the client's defaults: acks=all, idempotence on.
//
// It claims exactly-once into the log: brokers know its producer id, epoch and sequences, and store a batch that is sent
// again only once, also over changes of leader. The claim holds for one incarnation of the producer: the next one has a
// new producer id (idempotent-restart shows that). It also ends if the client gives up on a batch whose outcome it doesn't
// know (a delivery timeout with cancellation allowed) and the application sends the record again.
func idempotentProducer() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "idempotent-producer",
			Claims:       harness.ExactlyOnce,
			InOrder:      true,
			About:        "a producer with acks=all and idempotence on, within one incarnation",
			ProducerOnly: true,
		},
		loop:       loopOfSource,
		breaksWhen: "its process is replaced, or it gives up on a batch and sends its records again",
		cost:       "nothing to speak of: the client's default",
	}
}

// loopOfSource is the loop of a source that only sends.
const loopOfSource = `for each record of the schedule:
  wait until it is due
  send                         its answer is waited for in the background`
