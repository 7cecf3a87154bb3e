package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/target"
)

// done is what a rule does to a frame, for proofs.
var done = map[kafkatoxic.Op]string{
	kafkatoxic.Hold: "held", kafkatoxic.Delay: "delayed", kafkatoxic.Drop: "dropped", kafkatoxic.Cut: "cut off",
}

// proof sums up what the rule did on the links that matter: "2 EndTxn requests held up to 5.1s on
// transactional-0-1-client; answers: PRODUCER_FENCED ×2".
func (a *arming) proof(matters func(target.Stream) bool) (string, bool) {
	var sum kafkatoxic.Counters
	sum.Codes = map[string]int64{}
	byProxy := map[string]int64{}
	var rule kafkatoxic.Rule
	for _, l := range a.links {
		if !matters(l.Stream) {
			continue
		}
		if l.err != nil {
			return "not observed: " + l.err.Error(), false
		}
		rule = l.rule
		if l.status.Matched > 0 {
			byProxy[l.Link.Proxy] = l.status.Matched
		}
		add(&sum, l.status.Counters)
	}
	what := strings.Join(a.links[0].rule.APIs, "+") + " " + string(a.links[0].rule.On)
	if sum.Matched == 0 {
		return "no " + what + " of it matched", false
	}
	text := fmt.Sprintf("%d %s%s %s", sum.Matched, what, plural(sum.Matched), done[rule.Op])
	if rule.Op == kafkatoxic.Hold || rule.Op == kafkatoxic.Delay {
		text += fmt.Sprintf(" up to %.1fs", float64(sum.Longest)/1000)
	}
	text += " on " + inject.Largest(byProxy)
	if sum.Late > 0 {
		text += fmt.Sprintf("; %d delivered after the client was gone", sum.Late)
	}
	return text + answers(sum), true
}

func add(sum *kafkatoxic.Counters, c kafkatoxic.Counters) {
	sum.Matched += c.Matched
	sum.Late += c.Late
	sum.Longest = max(sum.Longest, c.Longest)
	sum.Answered += c.Answered
	sum.Unanswered += c.Unanswered
	for code, n := range c.Codes {
		sum.Codes[code] += n
	}
}

// answers names the error codes of the broker's answers: "; answers: NONE ×3, PRODUCER_FENCED ×1".
func answers(c kafkatoxic.Counters) string {
	if c.Answered == 0 {
		return ""
	}
	codes := slices.SortedFunc(maps.Keys(c.Codes), func(a, b string) int {
		return cmp.Or(cmp.Compare(c.Codes[b], c.Codes[a]), cmp.Compare(a, b))
	})
	var texts []string
	for _, code := range codes {
		texts = append(texts, fmt.Sprintf("%s ×%d", codeName(code), c.Codes[code]))
	}
	if len(texts) == 0 {
		return fmt.Sprintf("; %d answered", c.Answered)
	}
	return "; answers: " + strings.Join(texts, ", ")
}

// codeName is an error code's name in the protocol.
func codeName(code string) string {
	n, err := strconv.ParseInt(code, 10, 16)
	if err != nil {
		return code
	}
	if n == 0 {
		return "NONE"
	}
	if known := kerr.TypedErrorForCode(int16(n)); known != nil {
		return known.Message
	}
	return code
}

func plural(n int64) string {
	if n == 1 {
		return ""
	}
	return "s"
}
