package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits on a cluster's shape. Fewer than three brokers don't survive the loss of one, and every topic of a run, internal
// ones included, has three replicas. More than nine and the load don't fit one machine.
const (
	DefaultBrokers = 3
	MostBrokers    = 9
)

// Topology is a cluster's shape. Its zero value is three nodes that are brokers and controllers at once.
type Topology struct {
	// Brokers is the number of brokers, which are numbered from 1 (0: DefaultBrokers).
	Brokers int `json:"brokers,omitempty"`
	// Controllers is the number of nodes that are controllers only, numbered after the brokers. 0: every broker is a
	// controller too.
	Controllers int `json:"controllers,omitempty"`
	// Racks are the brokers' racks, dealt to them in turn. A run's replicas are in as many racks as there are.
	Racks []string `json:"racks,omitempty"`
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Check refuses what no cluster can look like.
func (t Topology) Check() error {
	switch {
	case t.Brokers != 0 && (t.Brokers < DefaultBrokers || t.Brokers > MostBrokers):
		return fmt.Errorf("a cluster has %d to %d brokers, not %d", DefaultBrokers, MostBrokers, t.Brokers)
	case t.Controllers != 0 && t.Controllers != 1 && t.Controllers != 3 && t.Controllers != 5:
		return fmt.Errorf("a cluster has 1, 3 or 5 separate controllers (or 0: every broker is one too), not %d", t.Controllers)
	case len(t.Racks) > t.brokers():
		return fmt.Errorf("%d racks for %d brokers: each broker is in one", len(t.Racks), t.brokers())
	}
	for _, rack := range t.Racks {
		if !plainName.MatchString(rack) {
			return fmt.Errorf("%q can't name a rack: letters, digits, dots and dashes", rack)
		}
	}
	return nil
}

func (t Topology) brokers() int {
	if t.Brokers == 0 {
		return DefaultBrokers
	}
	return t.Brokers
}

func numbers(from, count int) []int {
	ids := make([]int, count)
	for i := range ids {
		ids[i] = from + i
	}
	return ids
}

// BrokerIDs lists the brokers' node numbers.
func (t Topology) BrokerIDs() []int { return numbers(1, t.brokers()) }

// ControllerIDs lists the node numbers of separate controllers (nil: there are none).
func (t Topology) ControllerIDs() []int {
	if t.Controllers == 0 {
		return nil
	}
	return numbers(t.brokers()+1, t.Controllers)
}

// Nodes lists every node's number: the brokers, then the separate controllers.
func (t Topology) Nodes() []int { return numbers(1, t.brokers()+t.Controllers) }

// Voters lists the nodes that make up the controller quorum.
func (t Topology) Voters() []int {
	if t.Controllers > 0 {
		return t.ControllerIDs()
	}
	return t.BrokerIDs()
}

// IsBroker reports whether a node keeps records.
func (t Topology) IsBroker(node int) bool { return node >= 1 && node <= t.brokers() }

// IsVoter reports whether a node is part of the controller quorum.
func (t Topology) IsVoter(node int) bool { return slices.Contains(t.Voters(), node) }

// Rack is a broker's rack ("" if there are none).
func (t Topology) Rack(node int) string {
	if len(t.Racks) == 0 || !t.IsBroker(node) {
		return ""
	}
	return t.Racks[(node-1)%len(t.Racks)]
}

// String is the shape in words: "5 brokers, 3 controllers, racks a b".
func (t Topology) String() string {
	text := fmt.Sprintf("%d brokers", t.brokers())
	if t.Controllers > 0 {
		text += fmt.Sprintf(", %d controllers", t.Controllers)
	}
	if len(t.Racks) > 0 {
		text += ", racks " + strings.Join(t.Racks, " ")
	}
	return text
}

// SharedClient names the link group that brokers advertise to clients without links of their own.
const SharedClient = "client"

// NodeLinks lists the links that a cluster of this shape has from its start, without addresses: one shared client link to
// each broker, replication between brokers, and quorum links from every node to each voter.
func (t Topology) NodeLinks() []Link {
	var all []Link
	for _, to := range t.Nodes() {
		if t.IsBroker(to) {
			all = append(all, NewLink(ClientLink, SharedClient, to))
		}
		for _, from := range t.Nodes() {
			if from != to && t.IsBroker(from) && t.IsBroker(to) {
				all = append(all, NewLink(ReplicationLink, fmt.Sprint(from), to))
			}
			if from != to && t.IsVoter(to) {
				all = append(all, NewLink(QuorumLink, fmt.Sprint(from), to))
			}
		}
	}
	return all
}

// NewLink is a link with its proxy's name and no address yet.
func NewLink(kind LinkKind, from string, to int) Link {
	return Link{Kind: kind, From: from, To: to, Proxy: fmt.Sprintf("%s-%d-%s", from, to, kind)}
}

var linkName = regexp.MustCompile(`^(.+)-(\d+)-(client|replication|quorum)$`)

// ParseLink reads a link from its proxy's name.
func ParseLink(proxy string) (Link, error) {
	m := linkName.FindStringSubmatch(proxy)
	if m == nil {
		return Link{}, fmt.Errorf("proxy %q is no link of a cluster", proxy)
	}
	to, err := strconv.Atoi(m[2])
	if err != nil {
		return Link{}, fmt.Errorf("proxy %q: %w", proxy, err)
	}
	return NewLink(LinkKind(m[3]), m[1], to), nil
}

// CheckClientName refuses a client's name that would collide with proxies of nodes or break Toxiproxy's URLs.
func CheckClientName(name string) error {
	if !plainName.MatchString(name) || name == SharedClient || strings.Trim(name, "0123456789") == "" {
		return fmt.Errorf("%q can't name a client's links: letters, digits, dots and dashes, not a number, not %q", name, SharedClient)
	}
	return nil
}
