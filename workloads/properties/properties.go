package properties

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"
)

// property is one setting under Kafka's own name.
type property struct {
	name string
	// of are the kinds of clients that it matters to.
	of   Kind
	read func(*kgo.Client) string
}

// Kind is what a client does; a client can be of several kinds.
type Kind int

// The kinds of clients.
const (
	Producing Kind = 1 << iota
	Consuming
	Transacting
	// Sharing is a consumer of a share group, to which brokers hand single records.
	Sharing
)

// properties lists the settings that shape delivery, in the order of Kafka's documentation: producer first.
var properties = []property{
	{"acks", Producing, func(c *kgo.Client) string { return acksText(c.OptValue(kgo.RequiredAcks)) }},
	{"enable.idempotence", Producing, func(c *kgo.Client) string { return fmt.Sprint(!is(c, kgo.DisableIdempotentWrite)) }},
	{"max.in.flight.requests.per.connection", Producing, inFlightText},
	{"retries", Producing, func(c *kgo.Client) string { return limit(c.OptValue(kgo.RecordRetries).(int64)) }},
	{"delivery.timeout.ms", Producing, func(c *kgo.Client) string { return unlimited(c, kgo.RecordDeliveryTimeout) }},
	{"request.timeout.ms", Producing, func(c *kgo.Client) string { return millis(c, kgo.ProduceRequestTimeout) }},
	{"linger.ms", Producing, func(c *kgo.Client) string { return millis(c, kgo.ProducerLinger) }},
	{"compression.type", Producing, compressionText},
	{"transactional.id", Transacting, func(c *kgo.Client) string { return text(c.OptValues(kgo.TransactionalID)[0]) }},
	{"transaction.timeout.ms", Transacting, func(c *kgo.Client) string { return millis(c, kgo.TransactionTimeout) }},
	{"isolation.level", Consuming | Sharing, isolationText},
	{"auto.offset.reset", Consuming, resetText},
	{"enable.auto.commit", Consuming, func(c *kgo.Client) string { return fmt.Sprint(!is(c, kgo.DisableAutoCommit) && !isTransacting(c)) }},
	{"auto.commit.interval.ms", Consuming, autoCommitText},
	{"group.protocol", Consuming, protocolText},
	{"partition.assignment.strategy", Consuming, assignmentText},
	{"group.instance.id", Consuming, func(c *kgo.Client) string { return text(c.OptValues(kgo.InstanceID)[0]) }},
	{"session.timeout.ms", Consuming, func(c *kgo.Client) string { return millis(c, kgo.SessionTimeout) }},
	{"heartbeat.interval.ms", Consuming, func(c *kgo.Client) string { return millis(c, kgo.HeartbeatInterval) }},
	{"metadata.max.age.ms", Producing | Consuming | Sharing, func(c *kgo.Client) string { return millis(c, kgo.MetadataMaxAge) }},
}
