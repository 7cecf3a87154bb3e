package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
	"github.com/chaeos/chaeos/results/page"
)

// browser is a tab of a real headless Chromium, and what its console complained of.
type browser struct {
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// chromium is a running browser, whose tabs all tests share.
type chromium struct{ context.Context }

// installed finds Debian's or another Chromium. In CI its absence is a failure, not a skip.
func installed(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no Chromium: install Debian's package chromium")
	}
	t.Skip("no Chromium: install Debian's package chromium")
	return ""
}

// start starts one browser for all tests; open opens a tab of it.
func start(t *testing.T) chromium {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(installed(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	quietly := chromedp.WithErrorf(func(string, ...any) {}) // it complains of events that are newer than it is
	ctx, cancel = chromedp.NewContext(ctx, quietly)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Run(ctx), "Chromium does not start")
	return chromium{ctx}
}

func open(t *testing.T, tabs chromium, width int64, path string) *browser {
	t.Helper()
	ctx, cancel := chromedp.NewContext(tabs)
	t.Cleanup(cancel)
	b := &browser{ctx: ctx}
	chromedp.ListenTarget(ctx, b.listen)
	b.do(t, log.Enable(), emulation.SetDeviceMetricsOverride(width, 900, 1, false), chromedp.Navigate("file://"+path),
		chromedp.WaitVisible("body[data-ready=true]", chromedp.ByQuery))
	return b
}

func (b *browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, e.ExceptionDetails.Error())
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
			b.complaints = append(b.complaints, fmt.Sprint(e.Args))
		}
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, e.Entry.Text)
	}
}

func (b *browser) do(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	require.NoError(t, chromedp.Run(b.ctx, actions...), "console: %v", b.complaints)
}

func eval[T any](t *testing.T, b *browser, js string) (v T) {
	t.Helper()
	b.do(t, chromedp.Evaluate(js, &v))
	return v
}

func (b *browser) quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.complaints, "the console must stay empty")
}

func saved(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, []byte(render(t)), 0o644))
	return path
}

// TestBrowser looks at the page as a reader does.
func TestBrowser(t *testing.T) {
	tabs := start(t)
	for name, look := range map[string]func(*testing.T, chromium){
		"shows the numbers":  showsTheNumbers,
		"opens a life":       opensALife,
		"hover":              hover,
		"zooms":              zooms,
		"themes":             themes,
		"printed":            printed,
		"linked":             linked,
		"on a phone":         onAPhone,
		"readable labels":    readableLabels,
		"wanted":             wantedLooksDifferent,
		"quiet legends":      quietLegends,
		"a suite's nights":   showsTheNights,
		"shows an empty run": showsAnEmptyRun,
	} {
		t.Run(name, func(t *testing.T) { look(t, tabs) })
	}
}

// showsTheNumbers compares every cell of the page's table with what the report says.
func showsTheNumbers(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	r, _ := sample()
	cells := eval[[]map[string]string](t, b, `[...document.querySelectorAll("#summary tbody tr")].map(tr =>
		Object.fromEntries([...tr.cells].map(td => [td.dataset.key, td.textContent])))`)
	require.Len(t, cells, len(r.Rows))
	for i, row := range r.Rows {
		require.Len(t, cells[i], len(results.Shown(r.Rows)))
		for _, c := range results.Shown(r.Rows) {
			require.Equal(t, c.Text(row), cells[i][c.Key], "%s of %s", c.Key, row.Pipeline)
		}
	}
	require.Equal(t, 5, eval[int](t, b, `document.querySelectorAll("#timeline canvas").length`), "two charts a pipeline, and one of its lag")
	require.True(t, eval[bool](t, b, painted), "the charts have ink")
	b.quiet(t)
}

// painted looks for a pixel that is not empty in every chart.
const painted = `[...document.querySelectorAll("#timeline canvas")].every(c =>
	c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(v => v !== 0))`

// opensALife by click and by keyboard; markers that lie on each other are one, and open one after the other.
func opensALife(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	text := func(part string) string {
		return eval[string](t, b, `document.getElementById("life-`+part+`").textContent`)
	}
	require.Equal(t, []string{"2", ""}, eval[[]string](t, b, `[...document.querySelectorAll(".marker.lost[role]")].map(m => m.textContent)`))
	at := eval[[]float64](t, b, `(() => { const m = document.querySelector(".marker.lost[role]"); m.scrollIntoView({block: "center"});
		const r = m.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`)
	b.do(t, chromedp.MouseClickXY(at[0], at[1]), chromedp.Poll(isOpen, nil))
	require.Contains(t, text("text"), "produced by source 0 at 13.9s")
	require.True(t, eval[bool](t, b, wraps), "the end of a life's lines must not be out of sight")
	require.Equal(t, "transactional · 14.000s · 1 of 2", text("place"))
	b.do(t, chromedp.KeyEvent(kb.ArrowRight))
	require.Contains(t, text("text"), "produced by source 0 at 14.0s")
	require.True(t, eval[bool](t, b, `document.getElementById("life-on").disabled`), "there are two")
	b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.Poll("!"+isOpen, nil))
	b.do(t, chromedp.Evaluate(`document.querySelector(".marker.torn[role]").focus()`, nil))
	b.do(t, chromedp.KeyEvent(kb.Enter), chromedp.Poll(isOpen, nil))
	require.Contains(t, text("text"), "chaeos explain x 0/412 --pipeline transactional")
	b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.Poll("!"+isOpen, nil))
	b.do(t, chromedp.Evaluate(`document.querySelector(".marker.committed-not-seen[role]").focus()`, nil))
	b.do(t, chromedp.KeyEvent(kb.Enter), chromedp.Poll(isOpen, nil))
	require.Contains(t, text("title"), "a transaction without a record in the log")
	require.Equal(t, "transaction 6: 0 of 100", text("about"))
	require.True(t, eval[bool](t, b, `document.getElementById("life-text").hidden`), "no record, no life")
	b.do(t, chromedp.KeyEvent(kb.Escape), chromedp.Poll("!"+isOpen, nil))
	b.do(t, chromedp.Evaluate(`range.set(13.9, 14.1)`, nil))
	require.Equal(t, []string{"", ""}, eval[[]string](t, b, `[...document.querySelectorAll(".marker.lost[role]")].map(m => m.textContent)`), "close by, each is alone")
	b.quiet(t)
}

// linked: a link opens a kind of anomalies, in the colours that it asks for.
func linked(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t)+"#dark&open=transactional/lost")
	require.True(t, eval[bool](t, b, isOpen))
	require.Equal(t, "transactional · 14.000s · 1 of 3", eval[string](t, b, `document.getElementById("life-place").textContent`))
	require.True(t, eval[bool](t, b, `document.documentElement.classList.contains("dark")`))
	b.quiet(t)
}

// printed: on paper the page is light, unfolded and as wide as a sheet, and afterwards what it was.
func printed(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	b.do(t, chromedp.Evaluate(`theme.set(true)`, nil))
	const looks = `[document.documentElement.classList.contains("dark"), document.querySelector("#timeline canvas").parentElement.offsetWidth > 700,
		document.querySelectorAll("details:not([open])").length > 0]`
	require.Equal(t, []bool{true, true, true}, eval[[]bool](t, b, looks))
	b.do(t, chromedp.Evaluate(`addEventListener("beforeprint", () => { window.onPaper = `+looks+` })`, nil))
	var pdf []byte
	b.do(t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = cdppage.PrintToPDF().Do(ctx)
		return err
	}))
	require.NotEmpty(t, pdf)
	require.Equal(t, []bool{false, false, false}, eval[[]bool](t, b, `window.onPaper`))
	b.do(t, chromedp.Poll(`document.documentElement.classList.contains("dark")`, nil))
	require.Equal(t, []bool{true, true, true}, eval[[]bool](t, b, looks))
	require.True(t, eval[bool](t, b, painted))
	b.quiet(t)
}

const isOpen = `document.getElementById("life").open`

// hover shows a stall's transaction and a fault's text.
func hover(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	at := eval[[]float64](t, b, `(() => { const o = document.querySelectorAll("#timeline .u-over")[2]; o.scrollIntoView({block: "center"});
		const r = o.getBoundingClientRect(); return [r.x + r.width * 16 / 62, r.y + 20] })()`) // of -2s to 60s, 14s
	b.do(t, chromedp.MouseEvent(input.MouseMoved, at[0], at[1]), chromedp.Poll(`!document.querySelector(".tip").hidden`, nil))
	require.Equal(t, "8.7s, held by transactional-0\npartition of broker 1", eval[string](t, b, `document.querySelector(".tip").textContent`),
		"a chart names the bands that are drawn on it")
	for selector, says := range map[string]string{"svg.lanes rect.stall": "held by transactional-0", "svg.lanes rect.fault": "partition of broker 1"} {
		b.do(t, chromedp.Evaluate(`document.querySelector("`+selector+`").dispatchEvent(
			new PointerEvent("pointermove", {clientX: 200, clientY: 200, bubbles: true}))`, nil))
		require.Contains(t, eval[string](t, b, `document.querySelector(".tip").textContent`), says)
		require.False(t, eval[bool](t, b, `document.querySelector(".tip").hidden`))
	}
	b.quiet(t)
}

// zooms by keys: every chart and lane shows the same range.
func zooms(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	b.do(t, chromedp.Focus("#timeline", chromedp.ByQuery), chromedp.KeyEvent("+"))
	require.InDeltaSlice(t, []float64{13.5, 44.5}, eval[[]float64](t, b, `[range.now.from, range.now.to]`), 1e-9)
	b.do(t, chromedp.KeyEvent(kb.ArrowRight))
	require.InDelta(t, 19.7, eval[float64](t, b, `range.now.from`), 1e-9)
	b.do(t, chromedp.Click(`[data-range="-"]`, chromedp.ByQuery))
	require.InDelta(t, -2, eval[float64](t, b, `range.now.from`), 1e-9, "buttons do what keys do")
	b.do(t, chromedp.Click(`[data-range="+"]`, chromedp.ByQuery), chromedp.Focus("#timeline", chromedp.ByQuery))
	b.do(t, chromedp.KeyEvent("0"))
	require.InDeltaSlice(t, []float64{-2, 60}, eval[[]float64](t, b, `[range.now.from, range.now.to]`), 1e-9)
	b.quiet(t)
}

// themes: the page follows the system's preference, and the button changes it.
func themes(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	b.do(t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	const paper = `getComputedStyle(document.body).backgroundColor`
	b.do(t, chromedp.Poll(paper+` === "rgb(13, 17, 23)"`, nil))
	b.do(t, chromedp.Click("#theme", chromedp.ByQuery), chromedp.Poll(paper+` === "rgb(255, 255, 255)"`, nil))
	require.True(t, eval[bool](t, b, painted))
	b.quiet(t)
}

// onAPhone: at 360 px nothing but the table and its own region scrolls sideways.
func onAPhone(t *testing.T, tabs chromium) {
	b := open(t, tabs, 360, saved(t))
	require.LessOrEqual(t, eval[int](t, b, `document.documentElement.scrollWidth`), 360)
	require.True(t, eval[bool](t, b, painted))
	for _, key := range []string{"delivered", "duplicates", "lost"} {
		at := eval[[]float64](t, b, `(() => { const r = document.querySelector("#summary td[data-key=`+key+`]").getBoundingClientRect();
			return [r.left, r.right, r.bottom] })()`)
		require.GreaterOrEqual(t, at[0], 0.0, key)
		require.LessOrEqual(t, at[1], 360.0, "%s is to the right of the screen", key)
		require.LessOrEqual(t, at[2], 900.0, "%s is below the first screen", key)
	}
	require.Equal(t, `"LOST"`, eval[string](t, b, `getComputedStyle(document.querySelector("#summary td[data-key=lost]"), "::before").content`))
	b.do(t, chromedp.Evaluate(`life.show(range.data.pipelines[1].markers[0], "transactional", 0, 0)`, nil))
	require.True(t, eval[bool](t, b, wraps), "the end of a life's lines must not be out of sight")
	b.quiet(t)
}

// wraps: nothing of the life is to the right of what its box shows.
const wraps = `(() => { const e = document.getElementById("life-text"); return e.textContent.includes("at the end") && e.scrollWidth <= e.clientWidth })()`

// contrasts are the contrast ratios of all labels on bars and markers, by WCAG 2, each over its bar's colour over the paper.
const contrasts = `(() => {
	const numbers = c => c.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const paper = numbers(getComputedStyle(document.body).backgroundColor);
	return [...document.querySelectorAll("svg.lanes text:not(.label)")].map(text => {
		const bar = getComputedStyle(text.previousElementSibling), [r, g, b, alpha = 1] = numbers(bar.fill), a = alpha * bar.opacity;
		const below = light([r, g, b].map((v, i) => v * a + paper[i] * (1 - a))), above = light(numbers(getComputedStyle(text).fill));
		return { text: text.textContent, ratio: (Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05) };
	});
})()`

// readableLabels: every label on a bar has the contrast that WCAG asks of small text, in both themes.
func readableLabels(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	type label struct {
		Text  string
		Ratio float64
	}
	for _, theme := range []string{"false", "true"} {
		b.do(t, chromedp.Evaluate(`theme.set(`+theme+`)`, nil))
		labels := eval[[]label](t, b, contrasts)
		seen := map[string]bool{}
		for _, l := range labels {
			require.GreaterOrEqual(t, l.Ratio, 4.5, "%q, dark %s", l.Text, theme)
			seen[l.Text] = true
		}
		for _, text := range []string{"partition", "broker 1", "broker 2", "2"} { // a fault, leaders, an incarnation or markers in one bar
			require.True(t, seen[text], "%q of %v", text, labels)
		}
	}
	b.quiet(t)
}

// wantedLooksDifferent: a violation that the experiment is there to show has another colour than one that is not wanted.
func wantedLooksDifferent(t *testing.T, tabs chromium) {
	r, tl := sample()
	r.Rows[0].Delivered = "violated"
	r.Rows[0].Numbers.Set("lost", 3)
	r.Rows[0].Verdicts[0].Verdict, r.Rows[0].Verdicts[0].Expected = harness.Violated, harness.MustBreak
	tl.Pipelines[0].Verdict, tl.Pipelines[0].Outcome = "at-least-once violated, as expected", "wanted"
	path := filepath.Join(t.TempDir(), "wanted.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, page.HTML(f, r, tl, page.Options{}))
	require.NoError(t, f.Close())
	b := open(t, tabs, 1280, path)
	for _, selector := range []string{"td[data-key=delivered]", "td[data-key=lost]"} {
		colors := eval[[]string](t, b, `[...document.querySelectorAll("#summary tbody `+selector+`")].map(e => getComputedStyle(e).color)`)
		require.NotEqual(t, colors[0], colors[1], selector)
	}
	badges := eval[[]string](t, b, `[...document.querySelectorAll(".badge")].map(e => getComputedStyle(e).color)`)
	require.NotEqual(t, badges[0], badges[1])
	require.Equal(t, "violated, as expected", eval[string](t, b, `document.querySelector("#summary tr.wanted td[data-key=delivered]").textContent`))
	b.quiet(t)
}

// quietLegends: a legend has values only while the pointer is over a chart; a dash would look like a figure that is missing.
func quietLegends(t *testing.T, tabs chromium) {
	b := open(t, tabs, 1280, saved(t))
	const values = `[...document.querySelectorAll(".u-legend")].map(l => l.textContent).join()`
	require.Regexp(t, `^\s*acked\s*visible`, eval[string](t, b, values))
	require.NotContains(t, eval[string](t, b, values), "–")
	at := eval[[]float64](t, b, `(() => { const o = document.querySelector("#timeline .u-over"); o.scrollIntoView({block: "center"});
		const r = o.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 20] })()`)
	b.do(t, chromedp.MouseEvent(input.MouseMoved, at[0], at[1]), chromedp.Poll(`document.querySelector(".u-legend").textContent.includes("/s")`, nil))
	b.quiet(t)
}

func showsAnEmptyRun(t *testing.T, tabs chromium) {
	path := filepath.Join(t.TempDir(), "empty.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, page.HTML(f, &harness.Report{Experiment: "baseline"}, page.NewTimeline(0, 1), page.Options{}))
	require.NoError(t, f.Close())
	b := open(t, tabs, 1280, path)
	b.quiet(t)
}
