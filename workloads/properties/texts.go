package properties

import (
	"fmt"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

func is(c *kgo.Client, option any) bool {
	b, _ := c.OptValue(option).(bool)
	return b
}

func isTransacting(c *kgo.Client) bool { return text(c.OptValues(kgo.TransactionalID)[0]) != none }

const none = "none"

// text is a string setting, which may be a pointer.
func text(v any) string {
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

// unlimited is a duration in milliseconds; 0 means no limit.
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
