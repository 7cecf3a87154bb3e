package procs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// stopped reports whether every thread of a process is stopped: a group stop reaches them one by one.
func stopped(pid int) (bool, error) {
	stats, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil || len(stats) == 0 {
		return false, err
	}
	for _, path := range stats {
		state, err := taskState(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // that thread ended meanwhile
		}
		if err != nil || state != 'T' {
			return false, err
		}
	}
	return true, nil
}

// taskState reads the state letter of a stat file: "pid (name) S …", in which the name may contain parentheses.
func taskState(path string) (byte, error) {
	stat, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 || len(stat) < end+3 {
		return 0, fmt.Errorf("%s: no state in %q", path, stat)
	}
	return stat[end+2], nil
}
