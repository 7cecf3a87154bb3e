package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/harness/golden"
)

func TestLineTerminal(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(0, 0)
	term := newLineTerminal(&out, func() time.Time { return clock })
	after := func(d time.Duration) { clock = clock.Add(d) }
	term.Phase("cluster", "")
	after(2 * time.Second)
	term.Live("too soon", 0, 0)
	after(3 * time.Second)
	term.Live("starting three brokers", 0, 0)
	after(4900 * time.Millisecond)
	term.Live("too soon again", 0, 0)
	term.Note("broker 2 ended\nthe end of its log:\n  OutOfMemoryError\n")
	after(100 * time.Second)
	term.Phase("load", "40s")
	after(5 * time.Second)
	term.Live("idempotent 500/s", 5*time.Second, 40*time.Second)
	term.Close()
	term.Note("afterwards")
	golden.Equal(t, "testdata/terminal-lines.txt", out.String())
}

// TestLiveTerminal draws on a pseudo-terminal and looks at what its screen shows.
func TestLiveTerminal(t *testing.T) {
	pty := openPTY(t)
	term := newLiveTerminal(pty.slave)
	term.Phase("cluster", "")
	term.Live("starting three brokers", 0, 0)
	pty.awaitScreen(t, func(s []string) bool { return strings.HasPrefix(s[len(s)-1], "cluster 0s  starting three brokers") })
	term.Phase("load", "")
	term.Live("idempotent 500/s\nsecond line "+strings.Repeat("long ", 40), 10*time.Second, 40*time.Second)
	pty.awaitScreen(t, func(s []string) bool {
		return len(s) == 4 && strings.HasPrefix(s[2], "load 0s  [=====               ] 30s left  idempotent 500/s") &&
			strings.HasPrefix(s[3], "second line long long") && len(s[3]) < 80
	})
	term.Note("leader 1 -> 2")
	pty.awaitScreen(t, func(s []string) bool { return len(s) == 5 && strings.HasSuffix(s[2], "  leader 1 -> 2") })
	term.Live("one line again", 20*time.Second, 40*time.Second)
	pty.awaitScreen(t, func(s []string) bool { return len(s) == 4 && strings.HasSuffix(s[3], "one line again") })
	term.Live("two\nlines at the end", 20*time.Second, 40*time.Second)
	term.Note("just before the end")
	term.Close()
	term.Close()
	term.Note("afterwards")
	screen := pty.awaitScreen(t, func(s []string) bool { return strings.HasSuffix(s[len(s)-1], "afterwards") })
	require.Len(t, screen, 5, "nothing is left of the live line: %q", screen)
	for i, want := range []string{"s  cluster", "s  load", "  leader 1 -> 2", "  just before the end", "  afterwards"} {
		require.True(t, strings.HasSuffix(screen[i], want), "%q", screen)
	}
}

// TestInterruptLeavesNothing: the terminal echoes ^C wherever its cursor is.
func TestInterruptLeavesNothing(t *testing.T) {
	pty := openPTY(t)
	term := newLiveTerminal(pty.slave)
	term.Phase("load", "")
	term.Live("idempotent 500/s\nsecond line", 10*time.Second, 40*time.Second)
	pty.awaitScreen(t, func(s []string) bool { return len(s) == 3 && s[2] == "second line" })
	_, err := pty.slave.WriteString("^C")
	require.NoError(t, err)
	term.Note("interrupted")
	term.Close()
	screen := pty.awaitScreen(t, func(s []string) bool { return strings.HasSuffix(s[len(s)-1], "s    interrupted") })
	require.Len(t, screen, 2)
	require.Regexp(t, `^ +\d`, screen[1], "nothing of the live line, nor of the echo")
}

func TestGauge(t *testing.T) {
	require.Equal(t, "["+strings.Repeat(" ", 20)+"]", gauge(-1, 10))
	require.Equal(t, "["+strings.Repeat("=", 10)+strings.Repeat(" ", 10)+"]", gauge(5, 10))
	require.Equal(t, "["+strings.Repeat("=", 20)+"]", gauge(99, 10))
}

func TestLogGoesToTheTerminal(t *testing.T) {
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	var out bytes.Buffer
	logTo(newLineTerminal(&out, func() time.Time { return time.Unix(0, 0) }))
	slog.Warn("no archive", "error", "disk full")
	require.Equal(t, "    0.0s    level=WARN msg=\"no archive\" error=\"disk full\"\n", out.String())
}

// ptyPair is a pseudo-terminal of 80 columns whose output is played on a screen.
type ptyPair struct {
	slave *os.File
	mu    sync.Mutex
	got   bytes.Buffer
}

func openPTY(t *testing.T) *ptyPair {
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
	p := &ptyPair{slave: os.NewFile(slave, "pty")}
	require.NoError(t, unix.IoctlSetWinsize(int(slave), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	t.Cleanup(func() {
		p.slave.Close()
		master.Close()
	})
	go p.read(master)
	return p
}

func (p *ptyPair) read(master *os.File) {
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

// awaitScreen returns the screen's lines once they are as wanted.
func (p *ptyPair) awaitScreen(t *testing.T, wanted func(lines []string) bool) []string {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		p.mu.Lock()
		got := p.got.String()
		p.mu.Unlock()
		lines := play(t, got)
		if len(lines) > 0 && wanted(lines) {
			return lines
		}
		require.False(t, time.Now().After(deadline), "the screen never came to look as wanted: %q\nfrom %q", lines, got)
	}
}

// play is a terminal that knows what a progress line needs: newline, return, cursor up, erase below and erase line.
func play(t *testing.T, output string) []string {
	t.Helper()
	s := &screen{lines: []string{""}}
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

type screen struct {
	lines    []string
	row, col int
}

func (s *screen) put(r rune) {
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

func (s *screen) escape(argument string, command byte) bool {
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
