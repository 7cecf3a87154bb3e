package results

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNarrow: columns that say nothing go before all others, then in the order of the list; a column comes back where there
// is room for it after a wider one went.
func TestNarrow(t *testing.T) {
	s := sheet{}
	s.add("NAME", true, []string{"a", "b"})
	s.add("TORN", false, []string{"0", missing})
	s.add("WIDE", false, []string{"12345678901234567890", "0"})
	s.add("LOST", false, []string{"3", "0"})
	s.add("EXPECTED", true, []string{"must-hold", "must-hold"})
	spare := []string{"LOST", "WIDE", "EXPECTED", "TORN", "NOT THERE"}
	for width, want := range map[int][]string{
		0:   {"NAME", "TORN", "WIDE", "LOST", "EXPECTED"},
		100: {"NAME", "TORN", "WIDE", "LOST", "EXPECTED"},
		50:  {"NAME", "TORN", "WIDE", "LOST"},
		39:  {"NAME", "WIDE", "LOST"},
		30:  {"NAME", "WIDE"},
		20:  {"NAME", "TORN", "LOST"},
		12:  {"NAME", "LOST"},
		5:   {"NAME"},
	} {
		kept, gone := s.narrow(width, spare)
		require.Equal(t, want, kept.head, "%d", width)
		require.Len(t, gone.head, len(s.head)-len(want))
		require.Len(t, kept.body, 2)
	}
}
