package catalogue

import (
	"fmt"
	"strings"
)

// pageHead comes before the experiments on their page.
const pageHead = `# The experiments

Written from [the catalogue](../harness/catalogue/experiments); a test keeps it current. Each block is what
` + "`chaeos show NAME --seed 1`" + ` prints, in shorter lines. [TRACK-RECORD.md](TRACK-RECORD.md) has what came out on real
brokers. For an experiment of your own, start from ` + "`chaeos show NAME --yaml`" + ` and [SCHEDULES.md](SCHEDULES.md).
`

const (
	// pageWidth is how many characters of a code block GitHub shows without scrolling.
	pageWidth = 114
	// pageIndent puts the rest of a broken line a little to the right of Show's second column.
	pageIndent = "             "
)

// Page writes every experiment that comes with chaeos as one Markdown document, drawn with seed 1.
func Page() (string, error) {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, name := range Names() {
		exp, err := Find(name)
		if err != nil {
			return "", err
		}
		const seed = 1
		concrete, err := Concrete(exp, seed)
		if err != nil {
			return "", err
		}
		head, rest, _ := strings.Cut(Show(concrete, seed), "\n\npipelines")
		_, about, _ := strings.Cut(head, "\n\n")
		fmt.Fprintf(&b, "\n## %s\n\n**%s**\n\n", name, exp.Summary)
		if about != "" {
			fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(about))
		}
		fmt.Fprintf(&b, "```\n%s```\n", wrapped("pipelines"+rest))
	}
	return b.String(), nil
}

// wrapped breaks lines that are wider than the page: after a comma if there is one, else between words.
func wrapped(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for len(line) > pageWidth {
			at := strings.LastIndex(line[:pageWidth], ", ") + 1
			if at < pageWidth/2 {
				at = strings.LastIndexByte(line[:pageWidth], ' ')
			}
			if at <= len(pageIndent) { // one word alone is wider
				break
			}
			b.WriteString(line[:at] + "\n")
			line = pageIndent + line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}
