package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unspoken = regexp.MustCompile("[^a-z0-9 _-]")
)

// anchors are the headings of a page as links name them.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(page, -1) {
		all[strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")] = true
	}
	return all
}

// TestLinksLeadSomewhere follows every link from a page to a file, and to the heading that it names.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, pattern := range []string{"../*.md", "*.md", "../results/published/*.md"} {
		pages, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range pages {
			page, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, link := range linked.FindAllStringSubmatch(string(page), -1) {
				if !strings.Contains(link[1], "://") {
					links++
					follow(t, path, link[1])
				}
			}
		}
	}
	require.Greater(t, links, 50)
}

func follow(t *testing.T, path, link string) {
	t.Helper()
	file, anchor, named := strings.Cut(link, "#")
	target := path
	if file != "" {
		target = filepath.Join(filepath.Dir(path), file)
	}
	_, err := os.Stat(target)
	if !assert.NoError(t, err, "%s links to %s", path, link) || !named {
		return
	}
	text, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.True(t, anchors(string(text))[anchor], "%s links to %s, which has no such heading", path, link)
}
