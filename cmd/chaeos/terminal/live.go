package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/cupwriter"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// liveTerminal prints the same lines as lineTerminal, and below them lines that are drawn over: the phase, how long it
// has lasted and what is left of it, and the current state. Close removes those lines.
type liveTerminal struct {
	*lineTerminal
	out      io.Writer
	progress *mpb.Progress
	bar      *mpb.Bar
	close    sync.Once

	state sync.Mutex // guards what follows, which the drawing goroutine reads
	moment
	details []*mpb.Bar // the lines below the first
}

// moment is what the live lines show.
type moment struct {
	phase    string
	since    time.Time
	lines    []string
	done, of time.Duration
}

var _ harness.Terminal = (*liveTerminal)(nil)

func newLiveTerminal(w io.Writer) *liveTerminal {
	console := cupwriter.New(fromTheLeft{w}, false)
	if f, is := w.(*os.File); is {
		console.SetTermFd(int(f.Fd()))
	}
	t := &liveTerminal{out: w, progress: mpb.New(mpb.WithConsoleWriter(console), mpb.WithRefreshRate(100*time.Millisecond))}
	t.lineTerminal = newLineTerminal(t.progress, time.Now)
	t.bar = t.progress.New(0, nil, mpb.BarFillerTrim(), mpb.AppendDecorators(decor.Any(t.draw)))
	return t
}

// fromTheLeft begins whatever is drawn at the left edge. A terminal echoes Ctrl-C as ^C, and what is drawn over from there
// on would leave the beginning of a line.
type fromTheLeft struct{ io.Writer }

func (w fromTheLeft) Write(text []byte) (int, error) {
	n, err := w.Writer.Write(append([]byte{'\r'}, text...))
	return max(n-1, 0), err
}

func (t *liveTerminal) Phase(name, note string) {
	t.lineTerminal.Phase(name, note)
	t.state.Lock()
	t.moment = moment{phase: name, since: time.Now()}
	t.state.Unlock()
	t.show(0)
}

func (t *liveTerminal) Live(text string, done, of time.Duration) {
	lines := strings.Split(prose.Lines(text), "\n")
	t.state.Lock()
	t.lines, t.done, t.of = lines, done, of
	t.state.Unlock()
	t.show(min(len(lines)-1, mostDetails))
}

// mostDetails bounds the lines below the first: a terminal must not scroll because of them.
const mostDetails = 12

// show makes as many detail lines as there are to draw, or removes those that are too many.
func (t *liveTerminal) show(n int) {
	for len(t.details) < n {
		t.details = append(t.details, t.progress.New(0, nil, mpb.BarFillerTrim(), mpb.AppendDecorators(decor.Any(t.drawDetail(len(t.details)+1)))))
	}
	for len(t.details) > n {
		last := len(t.details) - 1
		t.details[last].Abort(true)
		t.details = t.details[:last]
	}
}

// Close may be called more than once. What comes after it is printed as plain lines.
func (t *liveTerminal) Close() {
	t.close.Do(func() {
		t.show(0)
		t.bar.Abort(true)
		t.progress.Wait()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.w = t.out
	})
}

// draw is the first live line, cut to the terminal's width: a line that wraps can't be drawn over.
func (t *liveTerminal) draw(s decor.Statistics) string {
	t.state.Lock()
	m := t.moment
	t.state.Unlock()
	if m.phase == "" {
		return ""
	}
	line := fmt.Sprintf("%s %.0fs  ", m.phase, time.Since(m.since).Seconds())
	if m.of > 0 {
		line += fmt.Sprintf("%s %.0fs left  ", gauge(m.done, m.of), max(m.of-m.done, 0).Seconds())
	}
	if len(m.lines) > 0 {
		line += m.lines[0]
	}
	return cut(line, s.AvailableWidth)
}

// drawDetail draws one of the lines below.
func (t *liveTerminal) drawDetail(line int) func(decor.Statistics) string {
	return func(s decor.Statistics) string {
		t.state.Lock()
		defer t.state.Unlock()
		if line >= len(t.lines) {
			return ""
		}
		return cut(t.lines[line], s.AvailableWidth)
	}
}

func cut(line string, width int) string {
	letters := []rune(line)
	return string(letters[:min(len(letters), max(width-1, 0))])
}

// gaugeWidth is the width of the bar that shows how much of a phase's time is over.
const gaugeWidth = 20

func gauge(done, of time.Duration) string {
	full := int(min(max(done, 0), of) * gaugeWidth / of)
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", gaugeWidth-full) + "]"
}
