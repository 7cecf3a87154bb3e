// Package screen is for tests: a pseudo-terminal, and what a person would see on it.
package screen

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness/wait"
)

// Screen is a pseudo-terminal of 80 columns whose output is played on a screen.
type Screen struct {
	// File is the terminal to write to.
	File *os.File
	mu   sync.Mutex
	got  bytes.Buffer
}

// Open makes one, or skips the test if this machine has no pseudo-terminals.
func Open(t *testing.T) *Screen {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		t.Skip("this machine has no pseudo-terminals: ", err)
	}
	require.NoError(t, err)
	fd := int(master.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCGPTPEER, unix.O_RDWR|unix.O_NOCTTY)
	require.Zero(t, errno)
	p := &Screen{File: os.NewFile(slave, "pty")}
	require.NoError(t, unix.IoctlSetWinsize(int(slave), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	t.Cleanup(func() {
		p.File.Close()
		master.Close()
	})
	go p.read(master)
	return p
}

func (p *Screen) read(master *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := master.Read(buf)
		p.mu.Lock()
		p.got.Write(buf[:n])
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Await returns the screen's lines once they are as wanted.
func (p *Screen) Await(t *testing.T, wanted func(lines []string) bool) []string {
	t.Helper()
	var got string
	var lines []string
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	err := wait.Poll(ctx, 10*time.Millisecond, func() (bool, error) {
		p.mu.Lock()
		got = p.got.String()
		p.mu.Unlock()
		lines = play(t, got)
		return len(lines) > 0 && wanted(lines), nil
	})
	require.NoError(t, err, "the screen never came to look as wanted: %q\nfrom %q", lines, got)
	return lines
}

// play is a terminal that knows what a progress line needs: newline, return, cursor up, erase below and erase line.
func play(t *testing.T, output string) []string {
	t.Helper()
	s := &drawn{lines: []string{""}}
	for output != "" {
		if rest, ok := strings.CutPrefix(output, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				break // the rest of it has not arrived
			}
			require.True(t, s.escape(rest[:end], rest[end]), "unknown escape %q", rest[:end+1])
			output = rest[end+1:]
			continue
		}
		r := []rune(output)[0]
		s.put(r)
		output = output[len(string(r)):]
	}
	for len(s.lines) > 0 && strings.TrimSpace(s.lines[len(s.lines)-1]) == "" {
		s.lines = s.lines[:len(s.lines)-1]
	}
	return s.lines
}

type drawn struct {
	lines    []string
	row, col int
}

func (s *drawn) put(r rune) {
	switch r {
	case '\r':
		s.col = 0
	case '\n':
		s.row++
		if s.row == len(s.lines) {
			s.lines = append(s.lines, "")
		}
	default:
		line := []rune(s.lines[s.row])
		for len(line) <= s.col {
			line = append(line, ' ')
		}
		line[s.col] = r
		s.lines[s.row] = strings.TrimRight(string(line), " ")
		s.col++
	}
}

func (s *drawn) escape(argument string, command byte) bool {
	n := 0
	for _, d := range argument {
		n = n*10 + int(d-'0')
	}
	switch command {
	case 'A':
		s.row = max(s.row-max(n, 1), 0)
	case 'J':
		s.lines = s.lines[:s.row+1]
		s.lines[s.row] = string([]rune(s.lines[s.row])[:min(s.col, len([]rune(s.lines[s.row])))])
	case 'K':
		s.lines[s.row] = ""
	case 'G':
		s.col = max(n-1, 0)
	default:
		return false
	}
	return true
}
