package target

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/chaeos/chaeos/harness/nearest"
)

// suggestForm names the forms that a mistyped target may have meant, or all of them.
func suggestForm(s string) string {
	var meant []string
	for _, f := range forms {
		phrase := phraseOf(f.syntax)
		typed := strings.Fields(s)
		typed = typed[:min(len(typed), len(strings.Fields(phrase)))]
		if len(nearest.Names(strings.Join(typed, " "), []string{phrase})) > 0 {
			meant = append(meant, f.syntax)
		}
	}
	if len(meant) == 0 {
		return "targets are: " + strings.Join(Forms(), "; ")
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(meant, " or "))
}

// phraseOf is the part of a form's syntax before the first word in capitals: what people write as it is.
func phraseOf(syntax string) string {
	at := strings.IndexFunc(syntax, unicode.IsUpper)
	if at < 0 {
		return syntax
	}
	return strings.TrimRight(syntax[:at], " [")
}
