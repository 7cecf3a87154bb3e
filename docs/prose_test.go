package docs

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// prose is what a person reads in a file: its words on the lines where they are, and the names that it declares or uses.
type prose struct {
	text  []byte
	names []name
}

type name struct {
	line int
	// words are the name's parts in small letters: transaction, at, lso of transactionAtLSO.
	words []string
}

// readers take the prose out of a file, by its name's end.
var readers = map[string]func([]byte) prose{".md": markdown, ".yaml": yaml, ".go": golang}

// data matches what is no prose although it is spelled with letters: code, the targets of links, and the old spelling
// of a target, which every version understands.
var data = regexp.MustCompile("(?s)```.*?\n```|`[^`\n]*`|\\]\\([^)\n]*\\)|<!--.*?-->|holder of (?:output|input)/")

func markdown(text []byte) prose { return prose{text: blank(text, data)} }

func yaml(text []byte) prose { return prose{text: blank(text, data)} }

// blank puts spaces in the place of what matches, so that every word stays on its line.
func blank(text []byte, what *regexp.Regexp) []byte {
	return what.ReplaceAllFunc(text, spaces)
}

func spaces(text []byte) []byte {
	out := make([]byte, len(text))
	for i, b := range text {
		if out[i] = ' '; b == '\n' {
			out[i] = b
		}
	}
	return out
}

var (
	// marker is what makes a line a comment.
	marker = regexp.MustCompile(`(?m)^\s*//|/\*|\*/`)
	tag    = regexp.MustCompile("^`[a-z]+:\"")
)

// golang keeps comments and sentences in string literals. A literal of one word is a name in a file or a command: data.
func golang(text []byte) prose {
	p := prose{text: spaces(text)}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		at := file.Offset(pos)
		switch kind {
		case token.EOF:
			return p
		case token.COMMENT:
			copy(p.text[at:], blank([]byte(literal), marker))
		case token.STRING:
			if strings.Contains(literal, " ") && !tag.MatchString(literal) {
				copy(p.text[at:], blank([]byte(literal), regexp.MustCompile(`holder of (?:output|input)/`)))
			}
		case token.IDENT:
			p.names = append(p.names, name{file.Line(pos), parts(literal)})
		}
	}
}

// parts splits a name at its capitals.
func parts(name string) (words []string) {
	start, runes := 0, []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			words = append(words, strings.ToLower(string(runes[start:i])))
			start = i
		}
	}
	return words
}

// finding is an old word and the line that it is on.
type finding struct {
	line int
	word string
}

// finder looks for words in prose: whole ones, over the ends of lines, in small and capital letters. A word alone is
// also looked for in names.
func finder(words []string) func(prose) []finding {
	alone := map[string]bool{}
	patterns := make([]string, len(words))
	for i, word := range words {
		patterns[i] = strings.Join(strings.Fields(regexp.QuoteMeta(word)), `\s+`)
		alone[word] = !strings.Contains(word, " ")
	}
	pattern := regexp.MustCompile(`(?i)\b(?:` + strings.Join(patterns, "|") + `)\b`)
	return func(p prose) (found []finding) {
		for _, at := range pattern.FindAllIndex(p.text, -1) {
			line := 1 + strings.Count(string(p.text[:at[0]]), "\n")
			found = append(found, finding{line, strings.Join(strings.Fields(string(p.text[at[0]:at[1]])), " ")})
		}
		for _, n := range p.names {
			for _, word := range n.words {
				if alone[word] {
					found = append(found, finding{n.line, word})
				}
			}
		}
		return found
	}
}

func TestOldWordsAreFoundInProseAndNotInData(t *testing.T) {
	find := finder([]string{"culprit", "so many", "holder"})
	for _, c := range []struct {
		ext, text string
		want      []finding
	}{
		{".md", "one\nA Culprit, so\nmany.", []finding{{2, "Culprit"}, {2, "so many"}}},
		{".md", "`culprit` ``\n```\nculprit\n```\n[x](culprit.md) culprits", nil},
		{".yaml", "a: b # the holder\ntarget: holder of output/0\n", []finding{{1, "holder"}}},
		{".go", "package p\n\n// A culprit is\nvar x = 1 // or so\n// many\n", []finding{{3, "culprit"}, {4, "so many"}}},
		{".go", "package p\n\nvar x = \"no culprit\"\nvar y = \"culprit\"\n", []finding{{3, "culprit"}}},
		{".go", "package p\n\ntype LSOCulprit struct {\n\tX int `json:\"culprit\" csv:\"culprit\"`\n}\n", []finding{{3, "culprit"}}},
		{".go", "package p\n\nvar placeholder, culprits int\n", nil},
	} {
		require.Equal(t, c.want, find(readers[c.ext]([]byte(c.text))), c.text)
	}
	require.Equal(t, []string{"transaction", "at", "lso"}, parts("transactionAtLSO"))
	require.Equal(t, []string{"lso", "advanced"}, parts("LSOAdvanced"))
}
