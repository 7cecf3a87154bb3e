package workloads

import (
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// property is one setting in Kafka's own name, as it can be read off a client.
type property struct {
	name string
	// of says which kinds of clients it matters to.
	of   kindOfClient
	read func(*kgo.Client) string
}

type kindOfClient int

const (
	producing kindOfClient = 1 << iota
	consuming
	transacts
	// shares is a consumer of a share group, which brokers hand single records to.
	shares
)

// properties lists what shapes delivery, in the order of Kafka's documentation: producer first.
var properties = []property{
	{"acks", producing, func(c *kgo.Client) string { return acksText(c.OptValue(kgo.RequiredAcks)) }},
	{"enable.idempotence", producing, func(c *kgo.Client) string { return fmt.Sprint(!is(c, kgo.DisableIdempotentWrite)) }},
	{"max.in.flight.requests.per.connection", producing, inFlightText},
	{"retries", producing, func(c *kgo.Client) string { return limit(c.OptValue(kgo.RecordRetries).(int64)) }},
	{"delivery.timeout.ms", producing, func(c *kgo.Client) string { return unlimited(c, kgo.RecordDeliveryTimeout) }},
	{"request.timeout.ms", producing, func(c *kgo.Client) string { return millis(c, kgo.ProduceRequestTimeout) }},
	{"linger.ms", producing, func(c *kgo.Client) string { return millis(c, kgo.ProducerLinger) }},
	{"compression.type", producing, compressionText},
	{"transactional.id", transacts, func(c *kgo.Client) string { return given(c.OptValues(kgo.TransactionalID)[0]) }},
	{"transaction.timeout.ms", transacts, func(c *kgo.Client) string { return millis(c, kgo.TransactionTimeout) }},
	{"isolation.level", consuming | shares, isolationText},
	{"auto.offset.reset", consuming, resetText},
	{"enable.auto.commit", consuming, func(c *kgo.Client) string { return fmt.Sprint(!is(c, kgo.DisableAutoCommit) && !isTransacting(c)) }},
	{"auto.commit.interval.ms", consuming, autoCommitText},
	{"group.protocol", consuming, protocolText},
	{"partition.assignment.strategy", consuming, assignmentText},
	{"group.instance.id", consuming, func(c *kgo.Client) string { return given(c.OptValues(kgo.InstanceID)[0]) }},
	{"session.timeout.ms", consuming, func(c *kgo.Client) string { return millis(c, kgo.SessionTimeout) }},
	{"heartbeat.interval.ms", consuming, func(c *kgo.Client) string { return millis(c, kgo.HeartbeatInterval) }},
	{"metadata.max.age.ms", producing | consuming | shares, func(c *kgo.Client) string { return millis(c, kgo.MetadataMaxAge) }},
}

func is(c *kgo.Client, option any) bool {
	b, _ := c.OptValue(option).(bool)
	return b
}

func isTransacting(c *kgo.Client) bool { return given(c.OptValues(kgo.TransactionalID)[0]) != none }

const none = "none"

func given(v any) string {
	switch s := v.(type) {
	case string:
		if s != "" {
			return s
		}
	case *string:
		if s != nil {
			return *s
		}
	}
	return none
}

func millis(c *kgo.Client, option any) string {
	d, ok := c.OptValue(option).(time.Duration)
	if !ok {
		return none
	}
	return fmt.Sprint(d.Milliseconds())
}

// unlimited is a duration in milliseconds of which 0 means no limit.
func unlimited(c *kgo.Client, option any) string {
	if s := millis(c, option); s != "0" {
		return s
	}
	return "no limit"
}

func limit(n int64) string {
	if n > 1<<31 {
		return "no limit"
	}
	return fmt.Sprint(n)
}

func acksText(v any) string {
	switch v {
	case kgo.NoAck():
		return "0"
	case kgo.LeaderAck():
		return "1"
	}
	return "all"
}

func inFlightText(c *kgo.Client) string {
	if !is(c, kgo.DisableIdempotentWrite) {
		return "the client's choice (at most 5)"
	}
	return fmt.Sprint(c.OptValue(kgo.MaxProduceRequestsInflightPerBroker))
}

func compressionText(c *kgo.Client) string {
	codecs, _ := c.OptValue(kgo.ProducerBatchCompression).([]kgo.CompressionCodec)
	if len(codecs) == 0 || codecs[0] == kgo.NoCompression() {
		return none
	}
	if codecs[0] == kgo.SnappyCompression() {
		return "snappy"
	}
	return "another"
}

func isolationText(c *kgo.Client) string {
	if level, _ := c.OptValue(kgo.FetchIsolationLevel).(int8); level == readCommitted {
		return "read_committed"
	}
	return "read_uncommitted"
}

// readCommitted is the protocol's number of the isolation level.
const readCommitted = 1

func resetText(c *kgo.Client) string {
	if c.OptValue(kgo.ConsumeResetOffset) == kgo.NewOffset().AtStart() {
		return "earliest"
	}
	return "earliest; a minute back where that is out of range"
}

func autoCommitText(c *kgo.Client) string {
	if is(c, kgo.DisableAutoCommit) || isTransacting(c) {
		return none
	}
	text := millis(c, kgo.AutoCommitInterval)
	if is(c, kgo.GreedyAutoCommit) {
		text += ", what is in hand included"
	}
	return text
}

func protocolText(c *kgo.Client) string {
	if is(c, kgo.ServerSideBalancer) {
		return "consumer"
	}
	return "classic"
}

func assignmentText(c *kgo.Client) string {
	if is(c, kgo.ServerSideBalancer) {
		return "the brokers'"
	}
	var names []string
	balancers, _ := c.OptValue(kgo.Balancers).([]kgo.GroupBalancer)
	for _, b := range balancers {
		names = append(names, b.ProtocolName())
	}
	return strings.Join(names, ", ")
}
