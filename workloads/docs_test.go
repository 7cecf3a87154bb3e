package workloads

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of docs/PIPELINES.md anew")

const (
	pipelinesPage = "../docs/PIPELINES.md"
	tableBegins   = "<!-- table: go test ./workloads -run Page -update -->\n"
	tableEnds     = "<!-- end of table -->\n"
)

// TestPipelinesPage holds docs/PIPELINES.md and the registry together: one row a pipeline, in its own words.
func TestPipelinesPage(t *testing.T) {
	page, err := os.ReadFile(pipelinesPage)
	require.NoError(t, err)
	head, rest, found := strings.Cut(string(page), tableBegins)
	require.True(t, found, "the page has no table")
	_, tail, found := strings.Cut(rest, tableEnds)
	require.True(t, found, "the page's table has no end")
	want := head + tableBegins + pipelinesTable(t) + tableEnds + tail
	if *update {
		require.NoError(t, os.WriteFile(pipelinesPage, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(page), "go test ./workloads -run Page -update writes it anew")
}

func pipelinesTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| pipeline | claims | what it is | breaks when | cost |\n|---|---|---|---|---|\n")
	for _, info := range Infos() {
		d, err := Describe(info.Name)
		require.NoError(t, err)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Claims, d.About, d.BreaksWhen, d.Cost)
	}
	return b.String()
}
