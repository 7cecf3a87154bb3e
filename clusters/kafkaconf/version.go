package kafkaconf

import (
	"fmt"
	"regexp"
	"strconv"
)

// The Kafka versions that run here: brokers in KRaft mode whose storage is formatted with feature levels, from OldestVersion on.
// DefaultVersion is run where none is named.
const (
	OldestVersion  = "3.9.0"
	DefaultVersion = "4.3.1"
)

var versionForm = regexp.MustCompile(`^(\d+)\.(\d+)\.\d+(?:[-.][A-Za-z0-9.-]+)?$`)

// CheckVersion refuses what is no Kafka version, and versions older than OldestVersion.
func CheckVersion(version string) error {
	m := versionForm.FindStringSubmatch(version)
	if m == nil {
		return fmt.Errorf("%q is not a Kafka version (for example %s)", version, DefaultVersion)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < 3 || major == 3 && minor < 9 {
		return fmt.Errorf("version %s of Kafka is too old: %s and newer are supported", version, OldestVersion)
	}
	return nil
}
