package workloads

import "github.com/chaeos/chaeos/harness"

// idempotentProducer is a producer with the client's defaults: acks=all, idempotence on.
//
// It claims exactly-once into the log: brokers know its producer id, epoch and sequences, and store a batch that is sent
// again only once, over changes of leader too. The claim holds for one life of the producer: a new life has a new
// producer id (idempotent-restart shows that). It also ends where the client gives up on a batch whose fate it doesn't
// know (a delivery timeout with cancellation allowed) and the application sends the record again.
func idempotentProducer() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "idempotent-producer",
			Claims:       harness.ExactlyOnce,
			About:        "a producer with acks=all and idempotence on, within one life",
			ProducerOnly: true,
		},
		loop:       loopOfSource,
		breaksWhen: "its process is replaced, or it gives up on a batch and sends its records again",
		cost:       "nothing to speak of: the client's default",
	}
}
