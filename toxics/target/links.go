package target

import (
	"slices"
	"strconv"

	"github.com/chaeos/chaeos/harness"
)

// The directions that a fault on links can have, seen from its target.
const (
	BothWays   = "both"
	ToTarget   = "to"
	FromTarget = "from"
)

// The groups of links by the names that options use: all but the external service's, those of clients, and those between
// nodes.
var (
	LinkKinds   = []string{string(harness.ClientLink), string(harness.ReplicationLink), string(harness.QuorumLink)}
	ClientLinks = LinkKinds[:1]
	NodeLinks   = LinkKinds[1:]
)

// end is one end of a link: a node, or a client by its name.
type end struct {
	node   int
	client string
}

// Side reports whether an end of a link is on one side of a fault.
type Side func(end) bool

func nodesIn(nodes []int) Side { return func(e end) bool { return slices.Contains(nodes, e.node) } }

func clientsIn(names []string) Side {
	return func(e end) bool { return slices.Contains(names, e.client) }
}

// Everyone is the side of every end.
func Everyone(end) bool { return true }

// Not is the side of every end that is not on the given one.
func Not(s Side) Side { return func(e end) bool { return !s(e) } }

// Stream is one direction of one link.
type Stream struct {
	Link harness.Link
	// Up is the direction in which requests flow: from the end that dials.
	Up bool
}

// Direction is what Toxiproxy calls the direction.
func (s Stream) Direction() string {
	if s.Up {
		return "upstream"
	}
	return "downstream"
}

// Held is how many bytes of the stream entered the proxy and have not left it.
func (s Stream) Held(b harness.LinkBytes) int64 {
	if s.Up {
		return b.UpstreamIn - b.UpstreamOut
	}
	return b.DownstreamIn - b.DownstreamOut
}

// Passed is how many bytes of the stream have left the proxy.
func (s Stream) Passed(b harness.LinkBytes) int64 {
	if s.Up {
		return b.UpstreamOut
	}
	return b.DownstreamOut
}

// Ended is how many connections were ended from the side that the stream comes from.
func (s Stream) Ended(b harness.LinkBytes) int64 {
	if s.Up {
		return b.UpstreamEnded
	}
	return b.DownstreamEnded
}

// dialler is the end that a link is dialled from.
func dialler(l harness.Link) end {
	if l.Kind == harness.ClientLink {
		return end{client: l.From}
	}
	node, err := strconv.Atoi(l.From)
	if err != nil { // a node link that isn't dialled by a node matches nothing
		return end{client: l.From}
	}
	return end{node: node}
}

// Between lists the streams of links of the given kinds between target and other. Bytes from i to j flow upstream on the
// link that i dials, and downstream on the link that j dials: one way is one direction of both links.
func Between(links []harness.Link, kinds []string, target, other Side, direction string) []Stream {
	var out []Stream
	for _, l := range links {
		if !slices.Contains(kinds, string(l.Kind)) {
			continue
		}
		from, to := dialler(l), end{node: l.To}
		targetDials, targetIsDialled := target(from) && other(to), target(to) && other(from)
		if Crosses(direction, targetIsDialled, targetDials) {
			out = append(out, Stream{Link: l, Up: true})
		}
		if Crosses(direction, targetDials, targetIsDialled) {
			out = append(out, Stream{Link: l})
		}
	}
	return out
}

// Crosses reports whether bytes that flow to the target, or from it, flow in the fault's direction.
func Crosses(direction string, to, from bool) bool {
	return (to && direction != FromTarget) || (from && direction != ToTarget)
}

// ProxiesOf lists the proxies of streams, each once, in order.
func ProxiesOf(streams []Stream) []string {
	var names []string
	for _, s := range streams {
		names = append(names, s.Link.Proxy)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// DirectionText is what is added to a text for people about a direction.
func DirectionText(direction string) string {
	switch direction {
	case ToTarget:
		return ", towards it only"
	case FromTarget:
		return ", away from it only"
	}
	return ""
}
