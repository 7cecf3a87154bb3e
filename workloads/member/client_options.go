package member

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// ClientOptions are the options that all clients of a run share. Compression is off everywhere: bytes on the wire are
// comparable, and the figures are about Kafka, not about the padding.
func ClientOptions(s protocol.Spec) []kgo.Opt {
	return []kgo.Opt{
		kgo.SeedBrokers(s.Bootstrap...),
		harness.Via(s.Dials),
		kgo.ClientID(s.ID()),
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

// Logged logs an error in a callback that can't return one. The history's writer keeps its own errors, so the loop ends
// with them.
func Logged(err error) {
	if err != nil {
		slog.Warn("callback", "err", err)
	}
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
