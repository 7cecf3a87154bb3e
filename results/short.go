package results

import (
	"regexp"
	"strings"
)

// command is a command line within a sentence: it ends at a semicolon.
var command = regexp.MustCompile(`(?:kafka-[a-z-]+\.sh|chaeos [a-z]+) [^;]*`)

// Short leaves the run's name out of topics and ids, all of which begin with it. Commands keep it: they are there to be copied.
func Short(text, run string) string {
	var b strings.Builder
	from := 0
	for _, at := range command.FindAllStringIndex(text, -1) {
		b.WriteString(strings.ReplaceAll(text[from:at[0]], run+"-", ""))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(strings.ReplaceAll(text[from:], run+"-", ""))
	return b.String()
}
