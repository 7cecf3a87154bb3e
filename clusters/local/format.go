package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
)

// format returns a bootstrap.checkpoint of the version's default features and the given ones. Kafka's StorageTool makes
// it once: it has the feature levels and nothing of a cluster or node, so that a start only copies it.
func (p *Provider) format(ctx context.Context, k kafka, features []harness.Feature) (string, error) {
	flags := kafkaconf.FeatureFlags(features)
	name := strings.Join(append([]string{"format"}, flags...), "+")
	dir, err := cached(ctx, filepath.Join(p.cacheDir, "kafka-"+k.Version, name), func(tmp string) error {
		return storageTool(ctx, k, tmp, flags)
	})
	return filepath.Join(dir, kafkaconf.BootstrapCheckpoint), err
}

// storageTool formats the folder data as that of a node that will never run.
func storageTool(ctx context.Context, k kafka, data string, features []string) error {
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	properties := filepath.Join(data, "server.properties")
	if err := os.WriteFile(properties, []byte(kafkaconf.Render(soloNode(data, layout{base: firstPort}), nil)), 0o644); err != nil {
		return err
	}
	args := kafkaconf.FormatArgs(properties, features)
	out, err := run(ctx, k.java(kafkaconf.ToolFlags, kafkaconf.StorageTool, args...))
	if err != nil {
		return fmt.Errorf("format storage for Kafka %s with %v: %s%s", k.Version, features, kafkaconf.WhyNotFormatted(out, err), knownLevels(ctx, k, features))
	}
	return oneName(data)
}

// oneName gives the checkpoint the name that brokers of every version take.
func oneName(data string) error {
	for _, name := range kafkaconf.Checkpoints {
		if path := filepath.Join(data, name); exists(path) {
			return os.Rename(path, filepath.Join(data, kafkaconf.BootstrapCheckpoint))
		}
	}
	return fmt.Errorf("the storage tool wrote none of %s", strings.Join(kafkaconf.Checkpoints, ", "))
}

// knownLevels says which feature levels a version has, where some were asked for.
func knownLevels(ctx context.Context, k kafka, features []string) string {
	if len(features) == 0 {
		return ""
	}
	out, err := run(ctx, k.java(kafkaconf.ToolFlags, kafkaconf.StorageTool, "version-mapping"))
	if err != nil {
		return ""
	}
	return kafkaconf.Levels(k.Version, out)
}

func metaProperties(node int, clusterID string) string {
	return kafkaconf.MetaProperties(node, clusterID)
}

func newID() string { return kafkaconf.NewID() }
