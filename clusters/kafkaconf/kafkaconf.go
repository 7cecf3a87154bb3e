// Package kafkaconf renders broker configuration: one renderer for every provider, so that brokers are the same
// as processes and in containers.
package kafkaconf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// The listeners of every node. Replication has its own, so that it can be cut while clients still reach the broker.
const (
	Client      = "CLIENT"
	Replication = "REPLICATION"
	Controller  = "CONTROLLER"
)

// Address is where one listener binds and what it tells others to dial, both host:port.
type Address struct {
	Bind      string
	Advertise string
}

// Role is what a node is.
type Role int

// The roles. Their zero value is a node that is both.
const (
	Combined Role = iota
	BrokerOnly
	ControllerOnly
)

// Node is one node of a cluster.
type Node struct {
	// ID is the node number, counted from 1.
	ID   int
	Role Role
	// Rack is a broker's rack ("" for none).
	Rack string
	// DataDir is log.dirs, the folder of the records and the metadata log.
	DataDir string
	// Client and Replication are a broker's listeners, Controller a controller's; others are left out.
	Client, Replication, Controller Address
	// Voters are the advertised controller addresses of every node, by node number.
	Voters map[int]string
}

// Render writes the node's server.properties, sorted by key. An override wins over the node's own properties; one with
// an empty value removes the property, which gives Kafka's default.
func Render(n Node, overrides map[string]string) string {
	all := defaults()
	maps.Copy(all, topology(n))
	maps.Copy(all, overrides)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if value := all[key]; value != "" {
			fmt.Fprintf(&b, "%s=%s\n", key, escape(value))
		}
	}
	return b.String()
}

// escape keeps a value on one line and as it is: Java's properties format takes a backslash as an escape.
var escape = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace

func topology(n Node) map[string]string {
	voters := make([]string, 0, len(n.Voters))
	for _, id := range slices.Sorted(maps.Keys(n.Voters)) {
		voters = append(voters, fmt.Sprintf("%d@%s", id, n.Voters[id]))
	}
	bind := func(a Address) string { return a.Bind }
	advertise := func(a Address) string { return a.Advertise }
	return map[string]string{
		"process.roles":                  n.Role.properties(),
		"broker.rack":                    n.Rack,
		"node.id":                        fmt.Sprint(n.ID),
		"log.dirs":                       n.DataDir,
		"controller.quorum.voters":       strings.Join(voters, ","),
		"controller.listener.names":      Controller,
		"inter.broker.listener.name":     Replication,
		"listener.security.protocol.map": "CLIENT:PLAINTEXT,REPLICATION:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"listeners":                      n.listeners(bind),
		// Votes and fetch responses carry the leader's advertised endpoint, and followers dial that: without the
		// controller's own entry they would bypass the quorum proxies.
		"advertised.listeners": n.listeners(advertise),
	}
}

// RoleIn is a node's role in a cluster of that shape.
func RoleIn(t harness.Topology, node int) Role {
	switch {
	case !t.IsBroker(node):
		return ControllerOnly
	case !t.IsVoter(node):
		return BrokerOnly
	default:
		return Combined
	}
}

func (r Role) properties() string {
	return map[Role]string{Combined: "broker,controller", BrokerOnly: "broker", ControllerOnly: "controller"}[r]
}

func (n Node) listeners(address func(Address) string) string {
	var all []string
	add := func(name string, a Address) { all = append(all, name+"://"+address(a)) }
	if n.Role != ControllerOnly {
		add(Client, n.Client)
		add(Replication, n.Replication)
	}
	if n.Role != BrokerOnly {
		add(Controller, n.Controller)
	}
	return strings.Join(all, ",")
}

// defaults are the properties that differ from Kafka's own, and those that verdicts depend on, so that they can be read here.
func defaults() map[string]string {
	return map[string]string{
		"auto.create.topics.enable":      "false",
		"controlled.shutdown.enable":     "true",
		"default.replication.factor":     "3",
		"min.insync.replicas":            "2",
		"num.partitions":                 "3",
		"unclean.leader.election.enable": "false",
		// Nothing may vanish by age or size: a record missing from the log must be a finding.
		"log.retention.bytes": "-1",
		"log.retention.ms":    "-1",
		// Three partitions: few enough to start fast, and one for each broker to lead.
		"offsets.topic.num.partitions":                     "3",
		"offsets.topic.replication.factor":                 "3",
		"share.coordinator.state.topic.min.isr":            "2",
		"share.coordinator.state.topic.num.partitions":     "3",
		"share.coordinator.state.topic.replication.factor": "3",
		"transaction.max.timeout.ms":                       "900000",
		"transaction.state.log.min.isr":                    "2",
		"transaction.state.log.num.partitions":             "3",
		"transaction.state.log.replication.factor":         "3",
		// Experiments choose session timeouts of 6 to 10 s, in all group protocols.
		"group.consumer.min.heartbeat.interval.ms": "1000",
		"group.consumer.min.session.timeout.ms":    "6000",
		"group.initial.rebalance.delay.ms":         "0",
		"group.min.session.timeout.ms":             "1000",
		"group.share.min.heartbeat.interval.ms":    "1000",
		"group.share.min.session.timeout.ms":       "6000",
		// Kafka's 128 MiB is a quarter of the heap that a node has here.
		"log.cleaner.dedupe.buffer.size": "8388608",
		// The kernel's own sizes. Kafka's 64 KiB for a follower's fetches is about one segment of the loopback device: a
		// sender waits 200 ms at a time for room and a delayed acknowledgement (BenchmarkPipelines/acks1: a third of the
		// throughput in one run of three).
		"replica.socket.receive.buffer.bytes": "-1",
		"socket.receive.buffer.bytes":         "-1",
		"socket.send.buffer.bytes":            "-1",
	}
}
