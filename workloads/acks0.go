package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// acks0 is a producer that asks for no answer and sends nothing twice: acks=0, idempotence off, no retries.
//
// It claims at-most-once: what is never sent again is never stored twice. Nothing keeps it from losing: a leader that
// moves, a connection that breaks or a full socket take whatever was on its way, and the producer never learns of it.
// Its records count as sent, never as acknowledged.
func acks0() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "acks0",
			Claims:       harness.AtMostOnce,
			About:        "a producer with acks=0 and no retries: sent once, never heard of again",
			ProducerOnly: true,
			Deviations:   []string{"acks=0, enable.idempotence=false, retries=0"},
		},
		producer:       []kgo.Opt{kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite(), kgo.RecordRetries(0)},
		unacknowledged: true,
		loop:           loopOfSource,
		breaksWhen:     "never: it loses instead, whenever a connection breaks or a leader moves",
		cost:           "everything that was on its way at a failure, silently",
	}
}
