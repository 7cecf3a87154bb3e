package toxics

import (
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/toxics/frames"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// wireOptions are the options of every fault on requests, and those of its own, sorted by name.
func wireOptions(own ...OptionInfo) []OptionInfo {
	all := append([]OptionInfo{
		{"apis", "names of Kafka's APIs, one or a list: EndTxn, TxnOffsetCommit, ...; Produce unless given"},
		{"client", "only requests with this client id, or one of a list"},
		{"direction", "requests to the target, from it, or both; both unless given"},
		{"links", "client, replication, quorum, or a list of them; client unless given"},
		{"skip", "how many matches to let pass first, for each pipeline; 0 unless given"},
		{"times", "how many matches to act on then, for each pipeline; 0 is every one"},
		{"topic", "only requests that name output, input, a pipeline's output or an internal topic"},
		{"transactional-id", "only requests of a pipeline's transactional ids, or of one worker's: PIPELINE/WORKER"},
	}, own...)
	slices.SortFunc(all, func(a, b OptionInfo) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// readWire reads the options that every fault on requests has.
func readWire(r *reader, op kafkatoxic.Op, on kafkatoxic.Side, times int) wireFault {
	w := wireFault{
		linkFault: linkFault{kinds: r.someOf("links", linkKinds[:1], linkKinds...), direction: r.OneOf("direction", bothWays, toTarget, fromTarget)},
		name:      r.kind.Name,
		topics:    r.words("topic"), transactionalIDs: r.words("transactional-id"),
		rule: kafkatoxic.Rule{
			Op: op, On: on, Clients: r.words("client"),
			Skip: int64(r.Number("skip", 0, 0, 1_000_000)), Times: int64(r.Number("times", times, 0, 1_000_000)),
		},
	}
	names := r.words("apis")
	if _, given := r.Value("apis"); !given {
		names = []string{"Produce"}
	}
	for _, name := range names {
		key, ok := kafkatoxic.APIKey(name)
		if !ok {
			r.Fail("apis", "Kafka has no API %q", name)
			return w
		}
		transaction, topic := frames.Carries(key)
		if len(w.transactionalIDs) > 0 && !transaction {
			r.Fail("transactional-id", "%s carries none", name)
		}
		if len(w.topics) > 0 && !topic {
			r.Fail("topic", "%s carries none", name)
		}
		w.rule.APIs = append(w.rule.APIs, kmsg.NameForKey(key))
	}
	return w
}

// millis reads a duration as a rule has it.
func (r *reader) millis(option string, def, low, high time.Duration) int64 {
	return r.Duration(option, def, low, high).Milliseconds()
}

// words reads a word or a list of them.
func (r *reader) words(option string) []string {
	value, given := r.Value(option)
	if !given {
		return nil
	}
	items, ok := value.([]any)
	if !ok {
		items = []any{value}
	}
	var out []string
	for _, item := range items {
		s, ok := item.(string)
		if !ok || s == "" {
			r.Fail(option, "expected a word or a list of them, not %v", item)
			return nil
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		r.Fail(option, "expected at least one")
	}
	return out
}
