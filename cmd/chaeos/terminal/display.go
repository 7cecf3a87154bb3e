package terminal

import (
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// Display is what standard output is: a terminal of some width, or a file that takes lines of any length.
type Display struct {
	Width int // 0: no limit
	Color bool
}

// DisplayOf looks at the file and at the variables that people turn colours off with (https://no-color.org).
func DisplayOf(f *os.File) Display {
	if !isatty.IsTerminal(f.Fd()) {
		return Display{}
	}
	s := Display{Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.Width = width
	}
	return s
}
