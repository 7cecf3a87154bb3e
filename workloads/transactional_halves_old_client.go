package workloads

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"
)

// transactionalHalvesOldClient is the same with a client that speaks no more than Kafka 3.7 did. It can't ask for
// transaction.version 2, whatever the brokers have.
func transactionalHalvesOldClient() Pipeline {
	p := halves("transactional-halves-old-client", "transactional-halves with a client as old as Kafka 3.7",
		"a late EndTxn ends the next transaction: with any transaction.version", kgo.MaxVersions(kversion.V3_7_0()))
	p.Deviations = append(p.Deviations, "speaks the protocol of Kafka 3.7")
	return p
}
