package evidence

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// typeOf is a column's type as docs/EVIDENCE.md writes it.
func typeOf(t *testing.T, f reflect.StructField) string {
	t.Helper()
	x, null := f.Type, ""
	if x.Kind() == reflect.Pointer || strings.Contains(f.Tag.Get("parquet"), ",optional") {
		null = "?"
	}
	if x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	switch {
	case x == reflect.TypeFor[time.Time]():
		return "timestamp" + null
	case x == reflect.TypeFor[[]byte]():
		return "bytes" + null
	case x.Kind() == reflect.Slice:
		return "list of " + x.Elem().Kind().String()
	case x.Kind() == reflect.Float64:
		return "double" + null
	case x.Kind() == reflect.Bool:
		return "boolean" + null
	}
	return x.Kind().String() + null
}

func columns[R any](t *testing.T) (all [][2]string) {
	t.Helper()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[R]()) {
		if f.Anonymous { // its own fields follow
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		all = append(all, [2]string{name, typeOf(t, f)})
	}
	return all
}

func docPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/EVIDENCE.md")
	require.NoError(t, err)
	return string(page)
}

// documented reads the tables of docs/EVIDENCE.md, by the file that each heading names.
func documented(t *testing.T) map[string][][2]string {
	t.Helper()
	tables, file := map[string][][2]string{}, ""
	for line := range strings.Lines(docPage(t)) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			file = strings.TrimSuffix(strings.TrimSpace(heading), ".parquet")
		}
		if cells := strings.Split(line, "|"); len(cells) == 5 && !strings.HasPrefix(cells[1], "-") && cells[1] != " column " {
			tables[file] = append(tables[file], [2]string{strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
		}
	}
	return tables
}

// TestEveryColumnIsDocumented holds docs/EVIDENCE.md and the files' schemas together: names, types, nulls and order.
func TestEveryColumnIsDocumented(t *testing.T) {
	require.Equal(t, map[string][][2]string{
		"evidence/anomalies": columns[AnomalyRow](t),
		"evidence/stalls":    columns[StallRow](t),
		"evidence/timeline":  columns[TimelineRow](t),
		"evidence/faults":    columns[FaultRow](t),
		"export/history":     columns[HistoryRow](t),
		"export/batches":     columns[BatchRow](t),
		"export/records":     columns[RecordRow](t),
	}, documented(t))
}

// TestEveryKindIsDocumented holds the kinds of anomalies and what the page says of the column together.
func TestEveryKindIsDocumented(t *testing.T) {
	var kinds []string
	for _, k := range harness.AnomalyKinds() {
		kinds = append(kinds, string(k))
	}
	require.Contains(t, docPage(t), "| kind | string | "+strings.Join(kinds, ", ")+" |\n")
}
