package kafkaconf

import (
	"crypto/rand"
	_ "embed"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// LogConfig is for Kafka distributions whose logging is Log4j 2: everything goes to the broker's standard error.
//
//go:embed files/log4j2.properties
var LogConfig string

// BrokerFlags are a node's JVM flags on every provider: a small heap and the collector with the fewest threads, because
// several of them share a machine with the load.
var BrokerFlags = []string{
	"-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true", "-Xshare:auto",
	"-XX:-UsePerfData", // its files in the temporary folder stay when a JVM is killed
	"-Dorg.slf4j.simpleLogger.showDateTime=true",
	"-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
}

// ArchiveFlags make a JVM use a class data sharing archive, without warnings: a JVM that can't use it would print
// one for each class, and continues without it.
func ArchiveFlags(archive string) []string {
	return []string{"-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"}
}

// ToolFlags are the JVM flags of a short-lived tool.
var ToolFlags = []string{"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}

// The main classes, and the file that formatting leaves for every node alike.
const (
	Broker              = "kafka.Kafka"
	StorageTool         = "kafka.tools.StorageTool"
	BootstrapCheckpoint = "bootstrap.checkpoint"
)

// Checkpoints are the names of that file within a formatted folder: Kafka 4.4.0 writes the second, as the first snapshot of its
// metadata log, older versions the first.
var Checkpoints = []string{BootstrapCheckpoint, "__cluster_metadata-0/00000000000000000000-0000000000.checkpoint"}

// WhyNotFormatted finds in the storage tool's output why it failed: an exception's message, or the last line that is no place
// in a stack trace.
func WhyNotFormatted(out string, err error) string {
	why := err.Error()
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if _, message, is := strings.Cut(line, "Exception: "); is {
			return message
		}
		if line != "" && !strings.HasPrefix(line, "at ") {
			why = line
		}
	}
	return why
}

// Levels says the highest level of each feature, from what the storage tool's version-mapping prints ("" if it prints none).
func Levels(version, out string) string {
	var known []string
	for line := range strings.Lines(out) {
		if name, level, is := strings.Cut(strings.TrimSpace(line), "="); is && !strings.Contains(name, " ") {
			known = append(known, name+" up to "+level)
		}
	}
	if len(known) == 0 {
		return ""
	}
	return fmt.Sprintf(" (in Kafka %s: %s)", version, strings.Join(known, ", "))
}

// FeatureFlags writes feature levels as the storage tool takes them, sorted.
func FeatureFlags(features []harness.Feature) []string {
	flags := make([]string, 0, len(features))
	for _, f := range features {
		flags = append(flags, fmt.Sprintf("%s=%d", f.Name, f.Level))
	}
	slices.Sort(flags)
	return flags
}

// FormatArgs are the storage tool's arguments to format what a properties file names, with feature flags.
func FormatArgs(properties string, features []string) []string {
	args := []string{"format", "-t", NewID(), "-c", properties}
	for _, feature := range features {
		args = append(args, "--feature", feature)
	}
	return args
}

// MetaProperties is what formatting writes for one node. The directory's id must differ between nodes.
func MetaProperties(node int, clusterID string) string {
	return fmt.Sprintf("version=1\ncluster.id=%s\nnode.id=%d\ndirectory.id=%s\n", clusterID, node, NewID())
}

// NewID is a random id in Kafka's form: 16 bytes in unpadded URL base64. A first byte of zero bits keeps it clear of a
// leading dash, which the tools would read as a flag.
func NewID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand ends the process instead
	id[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(id[:])
}
