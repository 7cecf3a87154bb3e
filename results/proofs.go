package results

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// proofs quotes what was measured of each fault: by what it is known that it took effect on a pipeline, or what showed that it
// did not. What is the same for every pipeline is said once.
func proofs(r *harness.Report) (out []note) {
	for _, f := range r.Faults {
		about := slices.DeleteFunc(slices.Clone(f.Proofs), func(b harness.Proof) bool {
			return b.Text == "" || !b.TookEffect && !f.Concerns(b.Pipeline)
		})
		differs := func(b harness.Proof) bool { return b.Text != about[0].Text }
		if len(about) > 1 && len(about) == len(f.Proofs) && !slices.ContainsFunc(about, differs) {
			out = append(out, note{"proof", "every pipeline", f.Fault + ": " + about[0].Text})
			continue
		}
		for _, b := range about {
			out = append(out, note{"proof", b.Pipeline, f.Fault + ": " + b.Text})
		}
	}
	slices.SortStableFunc(out, func(a, b note) int { return cmp.Compare(rank(r, a.about), rank(r, b.about)) })
	return out
}

// rank orders notes as the rows are: what is about every pipeline first.
func rank(r *harness.Report, pipeline string) int {
	return slices.IndexFunc(r.Rows, func(row harness.Row) bool { return row.Pipeline == pipeline })
}
