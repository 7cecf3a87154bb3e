package terminal

import (
	"log/slog"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// LogTo sends what the rooms log from now on to the terminal, a line a message: written past it, a message would tear
// the live line. A closed terminal still prints lines.
func LogTo(terminal harness.Terminal) {
	slog.SetDefault(slog.New(slog.NewTextHandler(noteWriter{terminal}, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{} // the terminal has its own times
			}
			return a
		},
	})))
}

type noteWriter struct{ terminal harness.Terminal }

func (w noteWriter) Write(line []byte) (int, error) {
	w.terminal.Note(strings.TrimSuffix(string(line), "\n"))
	return len(line), nil
}
