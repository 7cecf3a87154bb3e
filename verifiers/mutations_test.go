package verifiers_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

// mutation is one kind of change to a saved run, with every checksum and total made right again.
type mutation struct {
	name string
	// breaks are the guarantees of the mutated row that can't be held any more, those that it has a verdict on. None: its claim.
	breaks []harness.Guarantee
	// excused is why a mutant may be held all the same ("": it may not).
	excused string
	// do mutates, and reports whether there was anything to mutate.
	do func(m *mutant) bool
}

func allMutations() []mutation {
	return slices.Concat(logMutations, orderMutations, markerMutations, recordMutations, historyMutations, readMutations, indexMutations, runMutations)
}

// mutated are the saved runs that are mutated: those of which a row holds.
var mutated = []string{"baseline", "fencing", "leader-partition", "lingering-txn", "commit-first", "worker-kill"}

// mutationsHere is how many mutants are judged: a fixed sample, or CHAEOS_MUTATIONS of them.
func mutationsHere(t *testing.T) int {
	text := os.Getenv("CHAEOS_MUTATIONS")
	if text == "" {
		return 420
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// TestMutations changes saved runs of real brokers at random, so that they break a guarantee: no mutant may be held. The same
// number of mutants is always the same mutants.
func TestMutations(t *testing.T) {
	var mu sync.Mutex
	survived, judged := map[string][]string{}, map[string]int{}
	each := mutationsHere(t) / len(mutated)
	t.Run("runs", func(t *testing.T) {
		for at, name := range mutated {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				run := loadSaved(t, filepath.Join("testdata/corpus", name+".tar.gz"))
				require.NotEmpty(t, run.held, "no row of it holds: nothing can be broken")
				done := 0
				for seed := uint64(at) << 32; done < each; seed++ {
					c := allMutations()[int(seed)%len(allMutations())]
					m := run.mutant(t, seed)
					if !m.apply(c) {
						continue
					}
					done++
					report := m.judge()
					mu.Lock()
					judged[c.name]++
					if m.isHeld(report, c.breaks) {
						survived[c.name] = append(survived[c.name], fmt.Sprintf("%s %s, seed %d", name, m.row.Name, seed))
					}
					mu.Unlock()
				}
			})
		}
	})
	for _, c := range allMutations() {
		if c.excused == "" {
			assert.Zero(t, len(survived[c.name]), "%s: %d of %d are held: %s", c.name, len(survived[c.name]), judged[c.name], survived[c.name])
		}
	}
	t.Log(tally(judged, survived))
}

func tally(judged map[string]int, survived map[string][]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(judged)) {
		fmt.Fprintf(&b, "\n%5d judged, %4d held: %s", judged[name], len(survived[name]), name)
	}
	return b.String()
}

// apply mutates, if there is anything to mutate and the row has a verdict that the mutation can change.
func (m *mutant) apply(c mutation) bool {
	if !c.do(m) {
		return false
	}
	return m.input || len(c.breaks) == 0 || len(m.watched(c.breaks)) > 0
}

// watched are the guarantees among these that the row holds as it was saved.
func (m *mutant) watched(breaks []harness.Guarantee) (all []harness.Guarantee) {
	row := rowNamed(m.run.base, m.row.Name)
	if len(breaks) == 0 {
		breaks = []harness.Guarantee{row.Claims}
	}
	for _, v := range row.Verdicts {
		if v.Verdict == harness.Held && slices.Contains(breaks, v.Guarantee) {
			all = append(all, v.Guarantee)
		}
	}
	return all
}

// isHeld reports whether all that the mutation breaks is held. What is done to the shared input breaks any row, the source's too.
func (m *mutant) isHeld(report *harness.Report, breaks []harness.Guarantee) bool {
	if len(report.Inconclusive) > 0 {
		return false
	}
	for _, row := range report.Rows {
		switch {
		case !m.input && row.Pipeline != m.row.Name:
		case m.input || len(breaks) == 0:
			if m.worse(row) {
				return false
			}
		default:
			for _, g := range m.watched(breaks) {
				if row.Verdict(g) != harness.Held {
					return false
				}
			}
		}
	}
	return true
}

// worse reports whether a row doesn't hold something that it held as it was saved, or that it had no verdict on.
func (m *mutant) worse(row harness.Row) bool {
	i := slices.IndexFunc(m.run.base.Rows, func(r harness.Row) bool { return r.Pipeline == row.Pipeline })
	return slices.ContainsFunc(row.Verdicts, func(v harness.GuaranteeVerdict) bool {
		if v.Verdict == harness.Held {
			return false
		}
		return i < 0 || !slices.ContainsFunc(m.run.base.Rows[i].Verdicts, func(b harness.GuaranteeVerdict) bool {
			return b.Guarantee == v.Guarantee && b.Verdict != harness.Held
		})
	})
}
