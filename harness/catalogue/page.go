package catalogue

import (
	"fmt"
	"strings"
)

// pageHead stands above the experiments on their page.
const pageHead = `# The experiments

Made from the catalogue (harness/catalogue/experiments): a test keeps this page current. What each came to on real
brokers is in the README's track record. ` + "`chaeos show NAME --yaml`" + ` prints an experiment's file to start one of your own from;
[SCHEDULES.md](SCHEDULES.md) has the grammar.
`

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
		fmt.Fprintf(&b, "```\n$ chaeos show %s\npipelines%s```\n", name, rest)
	}
	return b.String(), nil
}
