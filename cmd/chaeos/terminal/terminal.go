// Package terminal shows on standard error how a command goes, and knows what standard output is.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// New returns a terminal on w. With live, lines can be drawn over on w.
func New(w io.Writer, live bool) harness.Terminal {
	if live {
		return newLiveTerminal(w)
	}
	return newLineTerminal(w, time.Now)
}

// liveEvery is how often a plain terminal prints the current state.
const liveEvery = 5 * time.Second

// lineTerminal prints a line whenever something happens, with the time since it was made. Errors of the writer are
// dropped: a run doesn't fail because its output is closed.
type lineTerminal struct {
	now   func() time.Time
	begin time.Time

	mu       sync.Mutex // guards what follows: phases and signals come from different goroutines
	w        io.Writer
	lastLive time.Time
}

var _ harness.Terminal = (*lineTerminal)(nil)

func newLineTerminal(w io.Writer, now func() time.Time) *lineTerminal {
	begin := now()
	return &lineTerminal{w: w, now: now, begin: begin}
}

func (t *lineTerminal) Phase(name, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastLive = t.now()
	t.print(strings.TrimRight(name+"  "+note, " "))
}

func (t *lineTerminal) Note(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.print("  " + text)
}

func (t *lineTerminal) Live(text string, done, of time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now().Sub(t.lastLive) < liveEvery {
		return
	}
	t.lastLive = t.now()
	if of > 0 {
		text = fmt.Sprintf("%s of %s  %s", done.Round(time.Second), of.Round(time.Second), text)
	}
	t.print("  " + strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", " ; ")), " "))
}

func (t *lineTerminal) Close() {}

// print writes text, its first line behind the time and the others below it, in one write.
func (t *lineTerminal) print(text string) {
	text = strings.ReplaceAll(strings.TrimRight(prose.Lines(text), "\n"), "\n", "\n"+strings.Repeat(" ", 10))
	fmt.Fprintf(t.w, "%7.1fs  %s\n", t.now().Sub(t.begin).Seconds(), text)
}
