package workloads

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// clientOptions are what every client of a run shares. Compression is off everywhere, so that bytes on the wire are
// comparable and the padding isn't measured instead of Kafka.
func clientOptions(s spec) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(s.Bootstrap...),
		harness.Via(s.Dials),
		kgo.ClientID(s.id()),
		kgo.AlwaysRetryEOF(), // a proxy before a broker that is down accepts, then closes
		kgo.MetadataMinAge(s.Shared.MetadataMinAge),
		kgo.MetadataMaxAge(s.Shared.MetadataMaxAge),
		kgo.ProducerLinger(s.Shared.Linger),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		// The default partitioner would flee a partition without a leader.
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.WithLogger(kafkaLog{}),
	}
}

// Spec is what a process is told to be. It is exported for the benchmark that runs one source without a fleet, beside a
// bare producer that is told the same.
type Spec = spec

// SourceOptions are the client options of the shared source: kgo's producing defaults, acks=all and idempotent.
func SourceOptions(s Spec) []kgo.Opt {
	bytes := sourceBufferBytes
	if s.Load.Rate <= 0 {
		bytes = unthrottledBytes
	}
	return append(clientOptions(s), kgo.MaxBufferedRecords(sourceBuffer), kgo.MaxBufferedBytes(bytes))
}

// groupOptions are what every worker's consumer shares: a heartbeat of a third of the session, and, unless the
// experiment says otherwise, the cooperative balancer, so that a member that joins or dies doesn't stop the others.
func groupOptions(s spec, balancer kgo.GroupBalancer) []kgo.Opt {
	return append(groupProtocol(s, balancer),
		kgo.ConsumerGroup(s.Group),
		kgo.ConsumeTopics(s.Input),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(s.Shared.SessionTimeout),
		kgo.HeartbeatInterval(s.Shared.SessionTimeout/3),
	)
}

// kafkaLog hands the client's warnings to the process's log.
type kafkaLog struct{}

var _ kgo.Logger = kafkaLog{}

func (kafkaLog) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (kafkaLog) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	slog.Log(context.Background(), slogLevels[level], msg, keyvals...)
}

var slogLevels = map[kgo.LogLevel]slog.Level{
	kgo.LogLevelError: slog.LevelError, kgo.LogLevelWarn: slog.LevelWarn,
	kgo.LogLevelInfo: slog.LevelInfo, kgo.LogLevelDebug: slog.LevelDebug,
}
