package local

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
)

// kafka is what it takes to run one Kafka version on this machine. A starter passes it to its keeper as JSON.
type kafka struct {
	Version string   `json:"version"`
	Java    string   `json:"java"`
	Jars    []string `json:"jars"`
	// Archive is a class data sharing archive, or empty: with it a broker starts about a third faster.
	Archive string `json:"archive,omitempty"`
	// Bootstrap is a formatted bootstrap.checkpoint, the same for every node.
	Bootstrap string `json:"bootstrap"`
}

// What is in a node's folder, apart from its data.
const (
	propertiesFile = "server.properties"
	hostsFileName  = "hosts"
	logConfigFile  = "log4j2.properties"
	tmpFolder      = "tmp"
)

// jvmFlags are the flags of a broker.
var jvmFlags = kafkaconf.BrokerFlags

// broker is the command that runs the broker laid out in dir.
func (k kafka) broker(dir string, flags ...string) *exec.Cmd {
	all := append([]string{}, jvmFlags...)
	all = append(all,
		"-Dlog4j2.configurationFile="+filepath.Join(dir, logConfigFile),
		"-Djava.io.tmpdir="+filepath.Join(dir, tmpFolder), // native libraries are unpacked there, and stay after a kill
		"-Djdk.net.hosts.file="+filepath.Join(dir, hostsFileName))
	if k.Archive != "" {
		all = append(all, kafkaconf.ArchiveFlags(k.Archive)...)
	}
	return k.java(append(all, flags...), "kafka.Kafka", filepath.Join(dir, propertiesFile))
}

// java runs a main class. The classpath lists every jar, in one order: an archive is only used with the classpath it
// was made with, and never with a wildcard.
func (k kafka) java(flags []string, main string, args ...string) *exec.Cmd {
	all := append([]string{}, flags...)
	all = append(all, "-cp", strings.Join(k.Jars, string(os.PathListSeparator)), main)
	return exec.Command(k.Java, append(all, args...)...)
}

// fingerprint names the Java version and the exact jars: an archive works for one such pair.
func (k kafka) fingerprint(javaVersion string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, k.Java, javaVersion, jvmFlags)
	for _, jar := range k.Jars {
		info, err := os.Stat(jar)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, jar, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(hash.Sum(nil))[:16], nil
}

// writeNodeDir lays out one node's folder: a formatted data folder, its hosts file, its properties.
func (k kafka) writeNodeDir(dir string, node int, clusterID, hosts, properties string) error {
	if err := os.MkdirAll(filepath.Join(dir, tmpFolder), 0o755); err != nil {
		return err
	}
	if err := k.formatData(dataDir(dir), node, clusterID); err != nil {
		return err
	}
	return writeFiles(map[string]string{
		filepath.Join(dir, propertiesFile): properties,
		filepath.Join(dir, hostsFileName):  hosts,
		filepath.Join(dir, logConfigFile):  logConfig,
	})
}

// formatData makes a formatted data folder, with its own directory id.
func (k kafka) formatData(data string, node int, clusterID string) error {
	if err := os.MkdirAll(data, 0o755); err != nil {
		return err
	}
	checkpoint, err := os.ReadFile(k.Bootstrap)
	if err != nil {
		return err
	}
	return writeFiles(map[string]string{
		filepath.Join(data, "bootstrap.checkpoint"): string(checkpoint),
		filepath.Join(data, "meta.properties"):      metaProperties(node, clusterID),
	})
}

func writeFiles(files map[string]string) error {
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func dataDir(nodeDir string) string { return filepath.Join(nodeDir, "data") }
