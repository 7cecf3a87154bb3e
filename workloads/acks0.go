package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/source"
)

// acks0 is a producer that asks for no answer and sends nothing twice: acks=0, idempotence off, no retries.
//
// It claims at-most-once: what is never sent again is never stored twice. Nothing keeps it from losing records: if a
// leader moves, a connection breaks or a socket is full, whatever was on its way is lost, and the producer never learns of
// it. Its records count as sent, never as acknowledged.
func acks0() Pipeline {
	return Pipeline{
		PipelineInfo: harness.PipelineInfo{
			Name:         "acks0",
			Claims:       harness.AtMostOnce,
			About:        "a producer with acks=0 and no retries: sent once, never heard of again",
			ProducerOnly: true,
			Deviations:   []string{"acks=0, enable.idempotence=false, retries=0"},
		},
		producer: source.Config{
			Producer:       []kgo.Opt{kgo.RequiredAcks(kgo.NoAck()), kgo.DisableIdempotentWrite(), kgo.RecordRetries(0)},
			Unacknowledged: true,
		},
		loop:       loopOfSource,
		breaksWhen: "never: it loses instead, whenever a connection breaks or a leader moves",
		cost:       "everything that was on its way at a failure, silently",
	}
}
