package local

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
)

// format returns a bootstrap.checkpoint of the version's default features and the given ones. Kafka's StorageTool makes
// it once: it holds the feature levels and nothing of a cluster or a node, so that a start need only copy it.
func (p *Provider) format(ctx context.Context, k kafka, features []harness.Feature) (string, error) {
	flags := featureFlags(features)
	name := strings.Join(append([]string{"format"}, flags...), "+")
	dir, err := cached(ctx, filepath.Join(p.cacheDir, "kafka-"+k.Version, name), func(tmp string) error {
		return storageTool(ctx, k, tmp, flags)
	})
	return filepath.Join(dir, "bootstrap.checkpoint"), err
}

func featureFlags(features []harness.Feature) []string {
	flags := make([]string, 0, len(features))
	for _, f := range features {
		flags = append(flags, fmt.Sprintf("%s=%d", f.Name, f.Level))
	}
	slices.Sort(flags)
	return flags
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
	args := []string{"format", "-t", newID(), "-c", properties}
	for _, feature := range features {
		args = append(args, "--feature", feature)
	}
	quiet := []string{"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}
	out, err := run(ctx, k.java(quiet, "kafka.tools.StorageTool", args...))
	if err == nil && !exists(filepath.Join(data, "bootstrap.checkpoint")) {
		err = exec.ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("format storage for Kafka %s with %v: %w: %s", k.Version, features, err, lastLine(out))
	}
	return nil
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// metaProperties is what formatting writes for one node. The directory's id must differ between nodes.
func metaProperties(node int, clusterID string) string {
	return fmt.Sprintf("version=1\ncluster.id=%s\nnode.id=%d\ndirectory.id=%s\n", clusterID, node, newID())
}

// newID is a random id in Kafka's form: 16 bytes in unpadded URL base64. A first byte of zero bits keeps it clear of a
// leading dash, which the tools would read as a flag.
func newID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand ends the process instead
	id[0] &= 0x7f
	return base64.RawURLEncoding.EncodeToString(id[:])
}
