package page_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results/page"
)

// night is a night of two runs of an experiment with these verdicts of acks1, which must break, and of transactional.
func night(day int, verdicts ...[2]harness.Verdict) page.Night {
	n := page.Night{Name: "night-" + string(rune('0'+day))}
	for i, v := range verdicts {
		r, _ := sample()
		r.Started, r.Seed, r.Exit, r.Why = time.Date(2026, 9, day, 1, i, 0, 0, time.UTC), uint64(i+1), 0, "every claim came out as expected"
		r.Rows[0].Verdicts[0] = harness.GuaranteeVerdict{Guarantee: harness.AtLeastOnce, Verdict: v[0], Expected: harness.MustBreak, Surprise: v[0] == harness.Held}
		r.Rows[1].Verdicts[0].Verdict = v[1]
		if v[1] == harness.Violated {
			r.Exit, r.Why = 3, "transactional: exactly-once must hold and was violated"
		}
		n.Runs = append(n.Runs, page.Run{Report: r, Link: "./" + n.Name + "/run-" + string(rune('1'+i)) + "/report.html"})
	}
	return n
}

const held, violated, unknown = harness.Held, harness.Violated, harness.Inconclusive

func nights() []page.Night {
	last := night(3, [2]harness.Verdict{violated, held}, [2]harness.Verdict{violated, violated}, [2]harness.Verdict{unknown, held})
	last.Failed = []string{"latency seed 3: no java"}
	return []page.Night{last, night(1, [2]harness.Verdict{violated, held}), night(2, [2]harness.Verdict{held, unknown})}
}

// savedIndex writes the page of some nights.
func savedIndex(t *testing.T, all []page.Night) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, page.Index(f, "suite nightly", all))
	require.NoError(t, f.Close())
	return path
}

// cells reads the matrix: by pipeline, each mark with the page that it leads to, and its nights.
const cells = `[...document.querySelectorAll("#matrix tbody td")].map(td => ({ mark: td.querySelector("a").textContent, share: td.querySelector("small")?.textContent || "",
	class: td.querySelector("a").className, link: td.querySelector("a").getAttribute("href"), nights: [...td.querySelectorAll(".nights a")].map(a => a.className).join(" ") }))`

// showsTheNights: each cell is the worst of the last night and leads to the run that showed it; its history goes from the
// oldest night to the newest.
func showsTheNights(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, savedIndex(t, nights()))
	type cell struct{ Mark, Share, Class, Link, Nights string }
	require.Equal(t, []cell{
		{"?", "1/3", "inconclusive", "./night-3/run-3/report.html", "wanted unexpected inconclusive"},
		{"✗", "1/3", "violated", "./night-3/run-2/report.html", "held inconclusive violated"},
	}, eval[[]cell](t, b, cells))
	require.Equal(t, "leader-partition seed 2 transactional: exactly-once must hold and was violated", eval[string](t, b, `document.querySelector(".look").textContent`))
	require.Equal(t, []string{"night-3", "night-2", "night-1"}, eval[[]string](t, b, `[...document.querySelectorAll("#nights tbody th")].map(th => th.textContent)`))
	require.Equal(t, []string{"2026-09-03 01:00", "3", "4", "1", "1", "1"}, eval[[]string](t, b, `[...document.querySelector("#nights tbody tr").cells].slice(1).map(td => td.textContent)`))
	require.Contains(t, eval[string](t, b, `document.body.textContent`), "no report: latency seed 3: no java")
	b.quiet(t)

	b = open(t, tabs, 360, savedIndex(t, nights()))
	require.LessOrEqual(t, eval[int](t, b, `document.documentElement.scrollWidth`), 360)
	one := open(t, tabs, 1280, savedIndex(t, nights()[1:2]))
	require.Equal(t, []cell{{"⚑", "", "wanted", "./night-1/run-1/report.html", ""}, {"✓", "", "held", "./night-1/run-1/report.html", ""}}, eval[[]cell](t, one, cells),
		"one run of one night has no history")
	other := nights()[1:2]
	other[0].Runs[0].Report.Rows[1].Verdicts = append(other[0].Runs[0].Report.Rows[1].Verdicts,
		harness.GuaranteeVerdict{Guarantee: harness.AtMostOnce, Expected: harness.MustHold})
	require.Equal(t, "?", eval[[]cell](t, open(t, tabs, 1280, savedIndex(t, other)), cells)[1].Mark, "what else is expected of it counts, too")
	require.Empty(t, eval[string](t, one, `document.querySelector(".look")?.textContent || ""`))
	empty := open(t, tabs, 1280, savedIndex(t, nil))
	empty.quiet(t)
}

// TestIndexEscapes: a text from a run must not become a part of the page, and no link leaves it for a script.
func TestIndexEscapes(t *testing.T) {
	n := night(1, [2]harness.Verdict{held, violated})
	evil := `"><img src=x onerror=alert(1)>`
	r := n.Runs[0].Report
	r.Experiment, r.Why, r.Rows[0].Pipeline, n.Name, n.Failed, n.Runs[0].Link = evil, evil, evil, evil, []string{evil}, "javascript:alert(1)"
	var b bytes.Buffer
	require.NoError(t, page.Index(&b, evil, []page.Night{n}))
	require.NotContains(t, b.String(), "<img")
	require.NotContains(t, b.String(), "javascript:")
	require.Equal(t, 1, strings.Count(b.String(), "</script>"))
	require.ErrorIs(t, page.Index(failing{}, "x", nights()), io.ErrShortWrite)
}
