package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/chaeos/chaeos/harness"
)

// liveTerminal prints the same lines as lineTerminal, and below them one line that is drawn over: the phase, how long it
// has lasted, and the state of the moment. Close takes that line away.
type liveTerminal struct {
	*lineTerminal
	out      io.Writer
	progress *mpb.Progress
	bar      *mpb.Bar
	close    sync.Once

	state sync.Mutex // guards moment, which the drawing goroutine reads
	moment
}

// moment is what the live line shows.
type moment struct {
	phase    string
	since    time.Time
	text     string
	done, of time.Duration
}

var _ harness.Terminal = (*liveTerminal)(nil)

func newLiveTerminal(w io.Writer) *liveTerminal {
	t := &liveTerminal{out: w, progress: mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(100*time.Millisecond))}
	t.lineTerminal = newLineTerminal(t.progress, time.Now)
	t.bar = t.progress.New(0, nil, mpb.BarFillerTrim(), mpb.AppendDecorators(decor.Any(t.draw)))
	return t
}

func (t *liveTerminal) Phase(name, note string) {
	t.lineTerminal.Phase(name, note)
	t.state.Lock()
	defer t.state.Unlock()
	t.moment = moment{phase: name, since: time.Now()}
}

func (t *liveTerminal) Live(text string, done, of time.Duration) {
	t.state.Lock()
	defer t.state.Unlock()
	t.text, t.done, t.of = text, done, of
}

// Close may be called more than once. What comes after it is printed as plain lines.
func (t *liveTerminal) Close() {
	t.close.Do(func() {
		t.bar.Abort(true)
		t.progress.Wait()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.w = t.out
	})
}

// draw is the live line, cut to the terminal's width: a line that wraps can't be drawn over.
func (t *liveTerminal) draw(s decor.Statistics) string {
	t.state.Lock()
	m := t.moment
	t.state.Unlock()
	if m.phase == "" {
		return ""
	}
	line := fmt.Sprintf("%s %.0fs  ", m.phase, time.Since(m.since).Seconds())
	if m.of > 0 {
		line += gauge(m.done, m.of) + "  "
	}
	letters := []rune(strings.ReplaceAll(line+m.text, "\n", " "))
	return string(letters[:min(len(letters), max(s.AvailableWidth-1, 0))])
}

// gaugeWidth is the width of the bar that shows how much of a phase's time is over.
const gaugeWidth = 20

func gauge(done, of time.Duration) string {
	full := int(min(max(done, 0), of) * gaugeWidth / of)
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", gaugeWidth-full) + "]"
}
