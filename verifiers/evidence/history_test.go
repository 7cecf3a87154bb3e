package evidence

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// TestEveryKindOfEntryHasItsColumns: whatever a history can hold is exported, and its kind, and no other, is documented.
func TestEveryKindOfEntryHasItsColumns(t *testing.T) {
	var kinds []string
	for _, e := range history.Kinds() {
		fill(reflect.ValueOf(e).Elem())
		rows, err := historyRows(harness.HistoryRecord{Process: "p"}, clock{}, e)
		require.NoError(t, err, "%T", e)
		require.NotEmpty(t, rows)
		kinds = append(kinds, rows[0].Kind)
	}
	require.ElementsMatch(t, kinds, kindsInTheDoc(t))
}

// fill gives every list one element.
func fill(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice {
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
}

func kindsInTheDoc(t *testing.T) []string {
	t.Helper()
	page := docPage(t)
	from := strings.Index(page, "| kind | string | `process`, ")
	line, _, _ := strings.Cut(page[from:], "\n")
	list := strings.Trim(strings.TrimPrefix(line, "| kind | string |"), " |")
	return strings.Split(strings.ReplaceAll(list, "`", ""), ", ")
}
