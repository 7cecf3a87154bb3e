// Package machine knows what a cluster takes of this machine, before one is started.
package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/chaeos/chaeos/harness"
)

// What a run takes, measured: a node's resident memory with the heap that it has on every provider, and that of harness,
// workers and proxies together.
const (
	nodeMemory  = 420 << 20
	otherMemory = 700 << 20
)

// Host is where the kernel shows what a machine has: its proc file system, and the one of control groups.
type Host struct{ Proc, Cgroups string }

// This is the machine that the program runs on.
var This = Host{"/proc", "/sys/fs/cgroup"}

var available = regexp.MustCompile(`(?m)^MemAvailable:\s+(\d+) kB$`)

// Available is how much memory can be used without swapping, in bytes: of the machine, or of the control group that bounds this
// process, if that has less. It fails if the machine's can't be read.
func (h Host) Available() (uint64, error) {
	meminfo := filepath.Join(h.Proc, "meminfo")
	data, err := os.ReadFile(meminfo)
	if err != nil {
		return 0, err
	}
	m := available.FindSubmatch(data)
	if m == nil {
		return 0, fmt.Errorf("%s does not show how much memory is available", meminfo)
	}
	kib, _ := strconv.ParseUint(string(m[1]), 10, 54) // only digits match
	return min(kib<<10, h.leftInGroup()), nil
}

// Needed is how much memory a run on a cluster of that shape takes, in bytes.
func Needed(t harness.Topology) uint64 { return uint64(len(t.Nodes()))*nodeMemory + otherMemory }

// MemoryError is the error if a cluster does not fit.
type MemoryError struct {
	Topology          harness.Topology
	Needed, Available uint64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("not enough memory: a run on %s takes about %s, and %s are available (end other programs, or ask for fewer nodes)",
		e.Topology, GiB(e.Needed), GiB(e.Available))
}

// GiB writes a number of bytes for people.
func GiB(bytes uint64) string { return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30)) }

// CheckMemory returns a *MemoryError if a cluster of that shape does not fit. If the memory can't be read, it returns nil.
func (h Host) CheckMemory(t harness.Topology) error {
	has, err := h.Available()
	if err == nil && has < Needed(t) {
		return &MemoryError{Topology: t, Needed: Needed(t), Available: has}
	}
	return nil
}
