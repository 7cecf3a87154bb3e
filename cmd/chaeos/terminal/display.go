package main

import (
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/term"
)

// display is what standard output is: a terminal of some width, or a file that takes lines of any length.
type display struct {
	width int // 0: no limit
	color bool
}

// displayOf looks at the file and at the variables that people turn colours off with (https://no-color.org).
func displayOf(f *os.File) display {
	if !isatty.IsTerminal(f.Fd()) {
		return display{}
	}
	s := display{color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil {
		s.width = width
	}
	return s
}
