package kit

import (
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/toxics/frames"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/target"
)

// WireOptions are the options of every fault on requests and the given ones, sorted by name.
func WireOptions(own ...options.Info) []options.Info {
	all := append([]options.Info{
		{Name: "apis", About: "names of Kafka's APIs, one or a list: EndTxn, TxnOffsetCommit, ...; default Produce"},
		{Name: "client", About: "only requests with this client id, or one of a list"},
		{Name: "direction", About: "requests to the target, from it, or both; default both"},
		{Name: "links", About: "client, replication, quorum, or a list of them; default client"},
		{Name: "skip", About: "how many matches to let pass first, for each pipeline; default 0"},
		{Name: "times", About: "how many matches to act on after that, for each pipeline; 0 is every one"},
		{Name: "topic", About: "only requests that name output, input, a pipeline's output or an internal topic"},
		{Name: "transactional-id", About: "only requests of a pipeline's transactional ids, or of one worker's: PIPELINE/WORKER"},
	}, own...)
	slices.SortFunc(all, func(a, b options.Info) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// ReadWire reads the options of every fault on requests; times is how many matches to act on by default.
func ReadWire(r *options.Reader, op kafkatoxic.Op, on kafkatoxic.Side, times int) WireFault {
	w := WireFault{
		LinkFault: LinkFault{Kinds: r.SomeOf("links", target.ClientLinks, target.LinkKinds...), Direction: r.OneOf("direction", target.BothWays, target.ToTarget, target.FromTarget)},
		name:      r.Name(),
		topics:    r.Words("topic"), transactionalIDs: r.Words("transactional-id"),
		Rule: kafkatoxic.Rule{
			Op: op, On: on, Clients: r.Words("client"),
			Skip: int64(r.Number("skip", 0, 0, 1_000_000)), Times: int64(r.Number("times", times, 0, 1_000_000)),
		},
	}
	names := r.Words("apis")
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
		w.Rule.APIs = append(w.Rule.APIs, kmsg.NameForKey(key))
	}
	return w
}
