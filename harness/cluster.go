package harness

import (
	"context"
	"errors"
	"time"
)

// LinkKind is what flows over a link.
type LinkKind string

// The kinds of links. Replication carries Fetch between brokers, quorum carries KRaft votes, fetches and broker
// heartbeats between nodes and controllers, client carries what sources and workers send.
const (
	ClientLink      LinkKind = "client"
	ReplicationLink LinkKind = "replication"
	QuorumLink      LinkKind = "quorum"
	// ServiceLink carries the workers' calls of the external service. A run makes it if its pipelines call one.
	ServiceLink LinkKind = "service"
)

// ServiceProxy is the name of the external service's proxy.
const ServiceProxy = "service"

// Link is one directed path: From dials To. Every link has a Toxiproxy proxy of its own.
type Link struct {
	Kind LinkKind `json:"kind"`
	// From is the dialling side: a node number for links between nodes, a client's name ("transactional-0") otherwise.
	From string `json:"from"`
	// To is the node that is dialled, counted from 1.
	To int `json:"to"`
	// Proxy is the Toxiproxy proxy's name.
	Proxy string `json:"proxy"`
	// Listen is the proxy's listening address.
	Listen string `json:"listen"`
}

// Dials maps a broker's advertised address to the address to dial instead.
type Dials map[string]string

// Feature is one finalised feature level of a cluster, for example transaction.version 2.
type Feature struct {
	Name  string `json:"name"`
	Level int16  `json:"level"`
}

// ClusterInfo describes a running cluster.
type ClusterInfo struct {
	Provider string `json:"provider"`
	Kafka    string `json:"kafka"`
	// Image is the containers' ("" if there are none).
	Image string `json:"image,omitempty"`
	// Nodes are the brokers' node numbers; Topology has separate controllers and racks.
	Nodes    []int    `json:"nodes"`
	Topology Topology `json:"topology,omitzero"`
	// Bootstrap lists the advertised client addresses, one a broker in node order: each is the proxy of the shared
	// link group "client".
	Bootstrap []string `json:"bootstrap"`
	// ToxiproxyAPI is host:port of the Toxiproxy HTTP API, on loopback.
	ToxiproxyAPI string `json:"toxiproxyAPI"`
	// ProxiesApart reports whether the proxies' loopback is another than this machine's: they reach only the nodes.
	ProxiesApart bool `json:"proxiesApart,omitempty"`
	// KeeperPid is the process that owns the brokers and the proxies (0 if there is none).
	KeeperPid int `json:"keeperPid"`
	// DataDir is where the nodes keep their data; it goes with the cluster.
	DataDir string `json:"dataDir"`
}

// NodeState is a node's process state.
type NodeState string

// The states of a node.
const (
	NodeRunning NodeState = "running"
	NodePaused  NodeState = "paused"
	NodeStopped NodeState = "stopped"
)

// NodeStatus is one node as its provider sees it.
type NodeStatus struct {
	Node  int       `json:"node"`
	Pid   int       `json:"pid"`
	State NodeState `json:"state"`
	// Unplanned reports whether the node's process ended by itself; Reason quotes the end of its log.
	Unplanned bool   `json:"unplanned,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// Nodes are the process operations on a cluster's nodes. Every call returns once the operation has taken effect on the
// process (killed and reaped, stopped by the kernel, started), not when the cluster has noticed.
type Nodes interface {
	// Kill ends the node at once (SIGKILL).
	Kill(ctx context.Context, node int) error
	// Stop ends the node in order (SIGTERM) and waits for its exit.
	Stop(ctx context.Context, node int) error
	// Pause freezes the node (SIGSTOP): its sockets still accept.
	Pause(ctx context.Context, node int) error
	// Resume continues a paused node (SIGCONT).
	Resume(ctx context.Context, node int) error
	// Start starts a node that was killed or stopped, with its old data and addresses.
	Start(ctx context.Context, node int) error
	// Status reports every node, in node order.
	Status(ctx context.Context) ([]NodeStatus, error)
}

// Cluster is a running cluster behind its proxies.
type Cluster interface {
	Nodes
	Info() ClusterInfo
	// Direct maps advertised addresses to the brokers' own listeners, which no fault touches: for the sampler, the live
	// reader, the read-back and administration.
	Direct() Dials
	// ClientLinks makes (once per name) a link of the named client to every broker, and returns the addresses to dial.
	ClientLinks(ctx context.Context, client string) (Dials, error)
	// Links lists every link there is now, sorted by proxy name.
	Links() []Link
	// Bytes reads the proxies' counters: bytes received from the dialling (upstream) or the dialled side (downstream),
	// and bytes passed on, by proxy name. Bytes received and not passed on were held or cut: the proof that a fault bit.
	Bytes(ctx context.Context) (map[string]LinkBytes, error)
	// Close ends every process and removes what the cluster leaves, also if the cluster is broken.
	Close(ctx context.Context) error
}

// LinkBytes are one proxy's counters since it was made, in bytes.
type LinkBytes struct {
	UpstreamIn, UpstreamOut     int64
	DownstreamIn, DownstreamOut int64
	// UpstreamEnded counts the connections that the dialling side ended, or the proxy under it; DownstreamEnded those that
	// the dialled side did. They stay 0 if a provider can't see that.
	UpstreamEnded, DownstreamEnded int64
}

// Cut is the number of bytes that entered the proxy and never left it.
func (b LinkBytes) Cut() int64 {
	return b.UpstreamIn - b.UpstreamOut + b.DownstreamIn - b.DownstreamOut
}

// ClusterSpec is what an experiment asks of a cluster.
type ClusterSpec struct {
	// Kafka is the version, for example "4.3.1".
	Kafka string `json:"kafka"`
	// KafkaHome, if set, is a Kafka directory whose libs folder is used instead of fetched jars.
	KafkaHome string `json:"kafkaHome,omitempty"`
	// Topology is the cluster's shape.
	Topology Topology `json:"topology,omitzero"`
	// Features are feature levels to format with, on top of the version's own defaults.
	Features []Feature `json:"features,omitempty"`
	// Properties are broker properties that override the rendered ones.
	Properties map[string]string `json:"properties,omitempty"`
	// LogDir is the folder that the nodes' logs are written to.
	LogDir string `json:"-"`
	// ReadyWithin bounds the start.
	ReadyWithin time.Duration `json:"-"`
	// Detach leaves the cluster running when this process ends (chaeos cluster up).
	Detach bool `json:"-"`
	// Progress, if set, is called with a few words on what the start is doing.
	Progress func(string) `json:"-"`
}

// ErrNoCluster is the error of an attach where no cluster was left running.
var ErrNoCluster = errors.New("no cluster is up")

// ErrStale is the error of an attach where the recorded cluster is gone.
var ErrStale = errors.New("the recorded cluster is gone")

// Provider makes clusters.
type Provider interface {
	// Name is the provider's registered name.
	Name() string
	// Start brings a cluster up and returns when it is ready: metadata shows every broker and the controller answers.
	// On error nothing is left behind.
	Start(ctx context.Context, spec ClusterSpec) (Cluster, error)
}
