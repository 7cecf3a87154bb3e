package catalogue

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/golden"

	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/triggers"
)

var examples = regexp.MustCompile("(?s)```yaml\n(.*?)```")

func schedulesPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/SCHEDULES.md")
	require.NoError(t, err)
	return string(page)
}

// TestEveryExampleOfThePageLoads puts each example of docs/SCHEDULES.md into an experiment.
func TestEveryExampleOfThePageLoads(t *testing.T) {
	found := examples.FindAllStringSubmatch(schedulesPage(t), -1)
	require.Greater(t, len(found), 4)
	var shown strings.Builder
	for n, example := range found {
		source := "name: example\nsummary: of the page\npipelines: [auto-commit, idempotent, transactional]\n" +
			"load: {duration: 60s}\nfaults:\n" + example[1]
		exp, err := parse(fmt.Sprintf("example-%d.yaml", n+1), []byte(source), pipelines())
		require.NoError(t, err, example[1])
		require.NotEmpty(t, exp.Faults)
		exp, err = Concrete(exp, 5)
		require.NoError(t, err)
		for _, f := range exp.Faults {
			fmt.Fprintf(&shown, "example %d: %s\n", n+1, faultText(f))
		}
	}
	golden.Equal(t, "testdata/examples.txt", shown.String())
}

// TestTheRecipeLoads: the experiment of docs/RECIPES.md is one.
func TestTheRecipeLoads(t *testing.T) {
	page, err := os.ReadFile("../../docs/RECIPES.md")
	require.NoError(t, err)
	found := examples.FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 1)
	exp, err := parse("slow-leader.yaml", []byte(found[0][1]), pipelines())
	require.NoError(t, err)
	exp, err = Concrete(exp, 7)
	require.NoError(t, err)
	require.Len(t, exp.Faults, 2)
}

// triggerTable is the page's table of triggers.
func triggerTable() string {
	table := "| trigger | fires when | settings besides its value |\n|---|---|---|\n"
	for _, kind := range triggers.All() {
		var settings []string
		for _, o := range kind.Options {
			settings = append(settings, "`"+o.Name+"`")
		}
		table += fmt.Sprintf("| `%s: %s` | %s | %s |\n", kind.Name, kind.Sign, kind.About, strings.Join(settings, ", "))
	}
	return table
}

var oldTable = regexp.MustCompile(`(?m)^\| trigger \|.*\n(?:\|.*\n)+`)

// TestThePageHasEveryTrigger writes the table where it is asked to.
func TestThePageHasEveryTrigger(t *testing.T) {
	page := schedulesPage(t)
	require.Len(t, oldTable.FindAllString(page, -1), 1)
	golden.Equal(t, "../../docs/SCHEDULES.md", oldTable.ReplaceAllLiteralString(page, triggerTable()))
}

// TestThePageNamesEverything: a field, trigger or setting that is not on the page does not exist for users.
func TestThePageNamesEverything(t *testing.T) {
	page := schedulesPage(t)
	has := func(what, name, cell string) {
		assert.True(t, strings.Contains(page, cell), "docs/SCHEDULES.md has no row for the %s %s", what, name)
	}
	for _, name := range reserved {
		has("field", name, "| `"+name+"` |")
	}
	for _, kind := range triggers.All() {
		for _, o := range kind.Options {
			has("setting", o.Name, "| `"+o.Name+"` |")
		}
	}
	phases := map[string]bool{}
	for _, p := range pipelines() {
		for _, phase := range p.Phases {
			phases[phase] = true
		}
	}
	for phase := range phases {
		has("phase", phase, "| `"+phase+"` |")
	}
}

// TestNoFaultTakesAFieldOfItsLine: an option of such a name could never be given.
func TestNoFaultTakesAFieldOfItsLine(t *testing.T) {
	for _, kind := range toxics.All() {
		for _, o := range kind.Options {
			assert.NotContains(t, reserved, o.Name, kind.Name)
		}
	}
	for _, kind := range triggers.All() {
		for _, o := range append(kind.Options, options.Info{Name: kind.Name}) {
			assert.NotContains(t, []string{"within", "delay", "release"}, o.Name, kind.Name)
		}
	}
}
