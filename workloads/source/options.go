package source

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/protocol"
)

const (
	// bufferRecords is how many records without an outcome a source holds before its pace must wait: an outage of most of a
	// minute at thousands a second. Their scheduled times stay what they were.
	bufferRecords = 200_000
	bufferBytes   = 256 << 20
	// unthrottledBytes is what a source without a rate may hold: enough for full requests in flight to every broker. More
	// would only cost fresh memory.
	unthrottledBytes = 32 << 20
)

// Options are the client options of the shared source: kgo's defaults for producers, acks=all and idempotent.
func Options(s protocol.Spec) []kgo.Opt {
	bytes := bufferBytes
	if s.Load.Rate <= 0 {
		bytes = unthrottledBytes
	}
	return append(member.ClientOptions(s), kgo.MaxBufferedRecords(bufferRecords), kgo.MaxBufferedBytes(bytes))
}

// TransactionalOptions are the client options of a source that writes in transactions.
func TransactionalOptions(s protocol.Spec) []kgo.Opt {
	return append(Options(s), kgo.TransactionalID(s.TransactionalID), kgo.TransactionTimeout(s.Shared.TransactionTimeout))
}
