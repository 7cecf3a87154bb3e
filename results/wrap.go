package results

import (
	"strings"
	"unicode/utf8"
)

// limited wraps a text where there is a limit.
func limited(text string, width int) []string {
	if width <= 0 {
		return []string{text}
	}
	return wrap(text, width)
}

// wrap breaks a text at blanks into lines of at most width characters; a word that is longer gets a line of its own.
func wrap(text string, width int) []string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var lines []string
	line, length := indent, len(indent)
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if i > 0 && length+1+n > width {
			lines = append(lines, line)
			line, length = indent, len(indent)
		} else if i > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	return append(lines, line)
}
