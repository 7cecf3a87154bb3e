// Package docs has no code. Its tests hold the project's words to the glossary, and its pages' links to what is there.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rooms are the files and folders in which the words of DESIGN.md hold. To check a room, add it here.
var rooms = []string{
	"README.md",
	"CONTRIBUTING.md",
	"docs",
	"results",
	"cmd",
	"clusters",
	"harness",
	"workloads",
	"toxics",
	"triggers",
	"verifiers",
}

// unchecked are the files within those rooms whose words are not checked, by how their names begin.
var unchecked = []string{
	"docs/prose_test.go",     // its examples need old words
	"toxics/target/forms.go", // reads the word that targets had for owner
}

// row is one row of the glossary: its first and its last column.
type row struct{ word, not string }

// glossary reads the tables under "Words" in DESIGN.md.
func glossary(t *testing.T) (tables [][]row) {
	t.Helper()
	page, err := os.ReadFile("DESIGN.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Words\n")
	require.True(t, found, "DESIGN.md has no words")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case len(cells) < 4:
		case strings.HasPrefix(cells[1], "--"):
			tables = append(tables, nil)
		case len(tables) > 0 && strings.TrimSpace(cells[len(cells)-2]) != "not":
			last := len(tables) - 1
			tables[last] = append(tables[last], row{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[len(cells)-2])})
		}
	}
	return tables
}

var inCode = regexp.MustCompile("`([^`]+)`")

// oldWords are the words that are used for nothing: those in code in the glossary's last columns.
func oldWords(t *testing.T) (words []string) {
	t.Helper()
	for _, table := range glossary(t) {
		for _, r := range table {
			for _, word := range inCode.FindAllStringSubmatch(r.not, -1) {
				words = append(words, word[1])
			}
		}
	}
	return words
}

func TestGlossaryIsSorted(t *testing.T) {
	tables := glossary(t)
	require.Len(t, tables, 2)
	old := oldWords(t)
	require.Greater(t, len(old), 15)
	for _, table := range tables {
		require.True(t, slices.IsSortedFunc(table, func(a, b row) int {
			return strings.Compare(strings.ToLower(a.word), strings.ToLower(b.word))
		}), "the glossary of DESIGN.md is not sorted")
		for _, r := range table {
			require.NotContains(t, old, r.word, "a word that the glossary both has and forbids")
		}
	}
}

func TestOldWordsAreGone(t *testing.T) {
	find := finder(oldWords(t))
	for _, room := range rooms {
		files := 0
		err := filepath.WalkDir(filepath.Join("..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
			if slices.ContainsFunc(unchecked, func(u string) bool { return strings.HasPrefix(name, u) }) {
				return nil
			}
			prose, ok := readers[filepath.Ext(name)]
			if !ok {
				return nil
			}
			files++
			text, err := os.ReadFile(path)
			for _, f := range find(prose(text)) {
				t.Errorf("%s:%d: %q is not a word of DESIGN.md's glossary", name, f.line, f.word)
			}
			return err
		})
		require.NoError(t, err)
		require.Positive(t, files, "%s has nothing to check", room)
	}
}
