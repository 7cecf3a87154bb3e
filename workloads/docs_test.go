package workloads

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/golden"
)

const (
	pipelinesPage = "../docs/PIPELINES.md"
	benchPage     = "../results/published/bench.md"
	tableBegins   = "<!-- table: go test ./workloads -run Page -update -->\n"
	tableEnds     = "<!-- end of table -->\n"
)

// TestPipelinesPage holds docs/PIPELINES.md, the registry and the published bench together: one row a pipeline, in its own
// words, with what it cost when it was measured.
func TestPipelinesPage(t *testing.T) {
	page, err := os.ReadFile(pipelinesPage)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(page), tableBegins)
	require.True(t, found, "the page has no table")
	_, tail, found := strings.Cut(rest, tableEnds)
	require.True(t, found, "the page's table has no end")
	measured, when := benchCosts(t)
	want := head + tableBegins + pipelinesTable(t, measured, when) + tableEnds + tail
	golden.Equal(t, pipelinesPage, want)
}

// unmeasured is the cost of a pipeline that make bench has not measured yet.
var unmeasured = benchCost{"–", "–", "–"}

// pipelinesTable is two tables, because one does not fit a page: what breaks each claim, and what each costs.
func pipelinesTable(t *testing.T, measured map[string]benchCost, when string) string {
	t.Helper()
	var claims, costs strings.Builder
	claims.WriteString("| pipeline | claims | what it is | breaks when |\n|---|---|---|---|\n")
	costs.WriteString("| pipeline | cost | throughput | p50 ms | p99 ms |\n|---|---|---:|---:|---:|\n")
	note := ""
	for _, info := range Infos() {
		d, err := Describe(info.Name)
		require.NoError(t, err)
		c, ok := measured[d.Name]
		if !ok {
			c, note = unmeasured, " A pipeline with – was added after that."
		}
		fmt.Fprintf(&claims, "| `%s` | %s | %s | %s |\n", d.Name, d.Claims, d.About, d.BreaksWhen)
		fmt.Fprintf(&costs, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Cost, c.throughput, c.p50, c.p99)
	}
	return fmt.Sprintf("%s\n## What each costs\n\n%s\nThroughput, p50 and p99 were measured without faults by `make bench` on %s\n([bench.md](../results/published/bench.md)).%s\n",
		claims.String(), costs.String(), when, note)
}

// TestAPipelineThatWasNotMeasuredIsShown: adding one needs no make bench.
func TestAPipelineThatWasNotMeasuredIsShown(t *testing.T) {
	measured := map[string]benchCost{"gone": {"1", "2", "3"}}
	for _, info := range Infos() {
		measured[info.Name] = benchCost{"4", "5", "6"}
	}
	const note = "A pipeline with – was added after that."
	all := pipelinesTable(t, measured, "then")
	require.Contains(t, all, "| `commit-first` | a poll's records lost when it dies after the commit | 4 | 5 | 6 |\n")
	require.NotContains(t, all, note)
	require.NotContains(t, all, "gone")
	delete(measured, "commit-first")
	table := pipelinesTable(t, measured, "then")
	require.Contains(t, table, "| `commit-first` | a poll's records lost when it dies after the commit | – | – | – |\n")
	require.Contains(t, table, note)
}

// benchCost is what a pipeline cost when it was measured, as the published bench has it.
type benchCost struct{ throughput, p50, p99 string }

// benchCosts reads the published bench's table of pipelines, and when it was made.
func benchCosts(t *testing.T) (costs map[string]benchCost, when string) {
	t.Helper()
	page, err := os.ReadFile(benchPage)
	require.NoError(t, err)
	head, table, found := strings.Cut(string(page), "| pipeline | claims | records/s | against the least careful | p50 ms | p99 ms |\n")
	require.True(t, found, "%s has no table of pipelines, or one with other columns", benchPage)
	made := regexp.MustCompile(`(?m)^- (\d{4}-\d\d-\d\d .*)$`).FindStringSubmatch(head)
	require.NotNil(t, made, "%s has no date", benchPage)
	costs = map[string]benchCost{}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, " | "); len(cells) == 6 {
			costs[strings.TrimPrefix(cells[0], "| ")] = benchCost{cells[3], cells[4], strings.TrimSuffix(strings.TrimSpace(cells[5]), " |")}
		}
	}
	return costs, made[1]
}
