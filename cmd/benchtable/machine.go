package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/clusters/local"
)

// machine describes the machine and the versions with which the figures were measured.
func machine(cpu string) []string {
	said := []string{fmt.Sprintf("%s, %d processors, %s", cmp.Or(cpu, "processor not named"), runtime.NumCPU(), memory())}
	said = append(said, fmt.Sprintf("%s, %s/%s, Kafka %s, franz-go %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, local.DefaultKafka, module("github.com/twmb/franz-go")))
	if head, err := exec.Command("git", "describe", "--always", "--dirty").Output(); err == nil {
		said = append(said, "chaeos "+strings.TrimSpace(string(head)))
	}
	return said
}

func memory() string {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "memory not known"
	}
	var kib int64
	for line := range strings.Lines(string(info)) {
		if _, err := fmt.Sscanf(line, "MemTotal: %d kB", &kib); err == nil {
			return fmt.Sprintf("%d GiB", kib>>20)
		}
	}
	return "memory not known"
}

// module is the version of a dependency that this program was built with.
func module(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == path {
				return m.Version
			}
		}
	}
	return "of unknown version"
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
