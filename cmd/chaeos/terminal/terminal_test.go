package terminal

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal/screen"
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
	golden.Equal(t, filepath.Join("testdata", "lines.txt"), out.String())
}

// TestLiveTerminal draws on a pseudo-terminal and looks at what its screen shows.
func TestLiveTerminal(t *testing.T) {
	pty := screen.Open(t)
	term := newLiveTerminal(pty.File)
	term.Phase("cluster", "")
	term.Live("starting three brokers", 0, 0)
	pty.Await(t, func(s []string) bool { return strings.HasPrefix(s[len(s)-1], "cluster 0s  starting three brokers") })
	term.Phase("load", "")
	term.Live("idempotent 500/s\nsecond line "+strings.Repeat("long ", 40), 10*time.Second, 40*time.Second)
	pty.Await(t, func(s []string) bool {
		return len(s) == 4 && strings.HasPrefix(s[2], "load 0s  [=====               ] 30s left  idempotent 500/s") &&
			strings.HasPrefix(s[3], "second line long long") && len(s[3]) < 80
	})
	term.Note("leader 1 -> 2")
	pty.Await(t, func(s []string) bool { return len(s) == 5 && strings.HasSuffix(s[2], "  leader 1 -> 2") })
	term.Live("one line again", 20*time.Second, 40*time.Second)
	pty.Await(t, func(s []string) bool { return len(s) == 4 && strings.HasSuffix(s[3], "one line again") })
	term.Live("two\nlines at the end", 20*time.Second, 40*time.Second)
	term.Note("just before the end")
	term.Close()
	term.Close()
	term.Note("afterwards")
	shown := pty.Await(t, func(s []string) bool { return strings.HasSuffix(s[len(s)-1], "afterwards") })
	require.Len(t, shown, 5, "nothing is left of the live line: %q", shown)
	for i, want := range []string{"s  cluster", "s  load", "  leader 1 -> 2", "  just before the end", "  afterwards"} {
		require.True(t, strings.HasSuffix(shown[i], want), "%q", shown)
	}
}

// TestInterruptLeavesNothing: the terminal echoes ^C wherever its cursor is.
func TestInterruptLeavesNothing(t *testing.T) {
	pty := screen.Open(t)
	term := newLiveTerminal(pty.File)
	term.Phase("load", "")
	term.Live("idempotent 500/s\nsecond line", 10*time.Second, 40*time.Second)
	pty.Await(t, func(s []string) bool { return len(s) == 3 && s[2] == "second line" })
	_, err := pty.File.WriteString("^C")
	require.NoError(t, err)
	term.Note("interrupted")
	term.Close()
	shown := pty.Await(t, func(s []string) bool { return strings.HasSuffix(s[len(s)-1], "s    interrupted") })
	require.Len(t, shown, 2)
	require.Regexp(t, `^ +\d`, shown[1], "nothing of the live line, nor of the echo")
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
	LogTo(newLineTerminal(&out, func() time.Time { return time.Unix(0, 0) }))
	slog.Warn("no archive", "error", "disk full")
	require.Equal(t, "    0.0s    level=WARN msg=\"no archive\" error=\"disk full\"\n", out.String())
}

// TestNotesAreText: what a broker's log says is never an order to the terminal, and lines stay lines.
func TestNotesAreText(t *testing.T) {
	var out bytes.Buffer
	term := newLineTerminal(&out, func() time.Time { return time.Unix(0, 0) })
	term.Phase("cluster", "\x1b[31mred\a")
	term.Note("first\n\x1b]0;title\a")
	require.NotContains(t, out.String(), "\x1b")
	require.Contains(t, out.String(), `\x1b[31mred\x07`)
	require.Contains(t, out.String(), "\n          "+`\x1b]0;title\x07`+"\n")
}
