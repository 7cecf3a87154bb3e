package toxics

import (
	"slices"
	"strconv"

	"github.com/chaeos/chaeos/harness"
)

// The directions a fault on links can have, seen from its target.
const (
	bothWays   = "both"
	toTarget   = "to"
	fromTarget = "from"
)

// The groups of links by the names that options use: all but the external service's, those of clients, and those between
// nodes.
var (
	linkKinds   = []string{string(harness.ClientLink), string(harness.ReplicationLink), string(harness.QuorumLink)}
	clientLinks = linkKinds[:1]
	nodeLinks   = linkKinds[1:]
)

// end is one end of a link: a node, or a client by its name.
type end struct {
	node   int
	client string
}

// side says which ends are on one side of a fault.
type side func(end) bool

func nodesIn(nodes []int) side { return func(e end) bool { return slices.Contains(nodes, e.node) } }

func clientsIn(names []string) side {
	return func(e end) bool { return slices.Contains(names, e.client) }
}

func everyone(end) bool { return true }

func not(s side) side { return func(e end) bool { return !s(e) } }

// stream is one direction of one link.
type stream struct {
	link harness.Link
	up   bool
}

func (s stream) direction() string {
	if s.up {
		return "upstream"
	}
	return "downstream"
}

// held is how many bytes of the stream entered the proxy and didn't leave it, passed how many left it.
func (s stream) held(b harness.LinkBytes) int64 {
	if s.up {
		return b.UpstreamIn - b.UpstreamOut
	}
	return b.DownstreamIn - b.DownstreamOut
}

func (s stream) passed(b harness.LinkBytes) int64 {
	if s.up {
		return b.UpstreamOut
	}
	return b.DownstreamOut
}

// ended is how many connections were ended from the side that the stream comes from.
func (s stream) ended(b harness.LinkBytes) int64 {
	if s.up {
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

// between lists the streams of links of the given kinds between target and other. Bytes from i to j flow upstream on
// the link that i dials, and downstream on the one that j dials: one way is one direction of both links.
func between(links []harness.Link, kinds []string, target, other side, direction string) []stream {
	var out []stream
	for _, l := range links {
		if !slices.Contains(kinds, string(l.Kind)) {
			continue
		}
		from, to := dialler(l), end{node: l.To}
		targetDials, targetIsDialled := target(from) && other(to), target(to) && other(from)
		if crosses(direction, targetIsDialled, targetDials) {
			out = append(out, stream{link: l, up: true})
		}
		if crosses(direction, targetDials, targetIsDialled) {
			out = append(out, stream{link: l})
		}
	}
	return out
}

// crosses says whether bytes that flow to the target, or from it, are in the fault's direction.
func crosses(direction string, to, from bool) bool {
	return (to && direction != fromTarget) || (from && direction != toTarget)
}

// proxiesOf lists the proxies of streams, each once, in order.
func proxiesOf(streams []stream) []string {
	var names []string
	for _, s := range streams {
		names = append(names, s.link.Proxy)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// directionText says a direction for people.
func directionText(direction string) string {
	switch direction {
	case toTarget:
		return ", towards it only"
	case fromTarget:
		return ", away from it only"
	}
	return ""
}
