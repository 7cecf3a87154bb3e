package jepsen_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/verifiers"
)

// The rows of the clean run that are changed.
const (
	producer      = "acks1"
	plain         = "idempotent"
	transactional = "transactional"
)

// tally is all that the reader must count of a plant, by name: in the input's logs, the output's, and through the
// pipeline. What belongs to no key comes first.
type tally map[string][3]int

// plant is one change of a clean run of real brokers. It returns what must be found, no more and no less.
type plant struct {
	name string
	row  string
	do   func(*saved) tally
	// also are names that come with it, by how many depends on where polls began and ended. Jepsen's order of a log takes
	// the last place of a value, so that a second copy makes its neighbours skip and go back; a reader skips what is not
	// there any more, and a failed transaction's polls are expected to be done again.
	also []string
	// unjudged is set where the judge has no such number.
	unjudged bool
}

// TestPlants: each is found with its exact count and nothing else is, the judge counts the same, and the run's other rows
// show what they showed.
func TestPlants(t *testing.T) {
	for _, p := range slices.Concat(logPlants, pollPlants, transactionPlants) {
		t.Run(p.name, func(t *testing.T) {
			s := unpack(t, "baseline")
			s.drop("auto-commit") // out of order by design
			want := p.do(s)
			histories := s.export()
			for _, l := range s.record.Plan.Pipelines {
				found, f := analyse(histories[l.Name]).anomalies(), familiesOf(s.record.Plan, l)
				if _, asked := want["count"]; asked {
					found["count"] = marked(histories[l.Name])
				}
				if l.Name == p.row {
					require.Equal(t, want, byFamily(found, f, p.also...))
				} else {
					require.Empty(t, byFamily(found, f), l.Name)
				}
			}
			if p.unjudged {
				return
			}
			report, err := verifiers.Judge(s.dir)
			require.NoError(t, err)
			data, err := json.Marshal(report)
			require.NoError(t, err)
			for _, row := range rowsOf(t, data) {
				l := s.layout(row.Pipeline)
				agrees(t, analyse(histories[row.Pipeline]).anomalies(), row, l, familiesOf(s.record.Plan, l))
			}
		})
	}
}

// marked counts the polls that say that they brought another number of records than the log holds.
func marked(ops []*operation) counts {
	n := counts{}
	for _, o := range ops {
		for k := range o.count {
			n[k]++
		}
	}
	return n
}

// byFamily leaves what was found, in the order of a tally, without what is excused.
func byFamily(found map[string]counts, f families, excused ...string) tally {
	all := tally{}
	for name, n := range maps.All(found) {
		if slices.Contains(excused, name) {
			continue
		}
		sums := [3]int{n.in(f.inputs...), n.in(f.outputs...), n.in(f.through...)}
		if slices.Contains([]string{"torn", "G0", "G1c"}, name) {
			sums = [3]int{n.total()}
		}
		if name != "copies" && sums != [3]int{} {
			all[name] = sums
		}
	}
	return all
}
