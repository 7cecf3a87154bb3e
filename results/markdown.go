package results

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Markdown writes what a run showed as a section of a GitHub-flavoured document: heading, faults, a row a pipeline, and
// what explains the rows. Errors are w's.
func Markdown(w io.Writer, report *harness.Report, opts Options) error {
	report, opts.Verify = prose.Cleaned(report), prose.Line(opts.Verify)
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", escape(report.Experiment), escape(Headline(report)))
	if set := propertyLine(report.Properties); set != "" {
		fmt.Fprintf(&b, "- %s\n", escape(set))
	}
	for _, f := range report.Faults {
		fmt.Fprintf(&b, "- fault %s, %s: %s\n", active(f, loadStart(report)), escape(hit(f)), escape(outcome(f)))
	}
	if len(report.Faults) == 0 {
		b.WriteString("- no fault\n")
	}
	b.WriteByte('\n')
	if err := markdownRows(&b, report.Rows); err != nil {
		return err
	}
	for i, n := range Notes(report, opts) {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- **%s** %s: %s\n", n.Kind, escape(n.About), escape(n.Text))
	}
	fmt.Fprintf(&b, "\nexit %d: %s\n", report.Exit, escape(report.Why))
	if opts.Verify != "" {
		fmt.Fprintf(&b, "\n`%s`\n", strings.ReplaceAll(opts.Verify, "`", "'"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

// markdownRows writes the table of a report.
func markdownRows(b *bytes.Buffer, rows []harness.Row) error {
	s := rowSheet(rows)
	for _, line := range s.body {
		for i := range line {
			line[i] = escape(line[i])
		}
	}
	return markdownGrid(b, s)
}

// escape keeps a text from being read as Markdown or HTML.
func escape(text string) string { return markdownEscapes.Replace(text) }

var markdownEscapes = strings.NewReplacer("|", `\|`, "[", `\[`, "&", "&amp;", "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`")
