package machine

import (
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryGroup is how one version of control groups shows a group's memory (kernel documentation, cgroup-v2 and cgroup-v1/memory).
type memoryGroup struct {
	// controller names the hierarchy in /proc/self/cgroup ("" in version 2), folder its place below the file system of groups.
	controller, folder string
	limit, used        string
	// cache is the part of the usage that the kernel gives up when others need it.
	cache string
}

var memoryGroups = []memoryGroup{
	{"", "", "memory.max", "memory.current", "inactive_file"},
	{"memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
}

// leftInGroup is how much memory this process's control group and those above it leave to it; the most there is if none bounds it.
func (h Host) leftInGroup() uint64 {
	left := uint64(math.MaxUint64)
	mine, err := os.ReadFile(filepath.Join(h.Proc, "self", "cgroup"))
	if err != nil {
		return left
	}
	for line := range strings.Lines(string(mine)) {
		// "4:memory:/user" or "0::/user": hierarchy, controllers, path.
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		for _, g := range memoryGroups {
			if f[1] == g.controller {
				left = min(left, g.left(filepath.Join(h.Cgroups, g.folder), path.Clean("/"+f[2])))
			}
		}
	}
	return left
}

// left is the least that a group and those above it leave. In a container the path may be the host's, and the group's own files
// are at the top.
func (g memoryGroup) left(root, group string) uint64 {
	least := uint64(math.MaxUint64)
	for {
		dir := filepath.Join(root, group)
		if limit, ok := number(filepath.Join(dir, g.limit)); ok {
			used, _ := number(filepath.Join(dir, g.used))
			used -= min(used, g.cached(dir))
			least = min(least, limit-min(limit, used))
		}
		if group == "/" {
			return least
		}
		group = path.Dir(group)
	}
}

func (g memoryGroup) cached(dir string) uint64 {
	stat, err := os.ReadFile(filepath.Join(dir, "memory.stat"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(stat)) {
		if value, is := strings.CutPrefix(line, g.cache+" "); is {
			n, _ := strconv.ParseUint(strings.TrimSpace(value), 10, 64)
			return n
		}
	}
	return 0
}

// number reads a file of one number; "max" and what can't be read are none.
func number(file string) (uint64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
