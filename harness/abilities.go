package harness

// Ability is one thing that a provider may be able to do with its clusters. Faults ask for abilities by name; preflight,
// doctor and the docs read what a provider declares.
type Ability struct{ Name, About string }

// Names of abilities.
const (
	CanLinks    = "links"
	CanKill     = "kill"
	CanStop     = "stop"
	CanPause    = "pause"
	CanWipe     = "wipe"
	CanCut      = "cut"
	CanTopology = "topology"
	CanLogs     = "logs"
	CanKeep     = "keep"
	CanService  = "service"
)

// Abilities lists every ability there is.
func Abilities() []Ability {
	return []Ability{
		{CanLinks, "each directed link is a proxy of its own, that can be cut, slowed and searched for requests"},
		{CanKill, "a node can be killed and started again, on its data and addresses"},
		{CanStop, "a node can be ended in order"},
		{CanPause, "a node can be frozen: its sockets still accept"},
		{CanWipe, "a stopped node's disk can be replaced by an empty one"},
		{CanCut, "a stopped node's logs can be cut as a loss of power would"},
		{CanTopology, "the numbers of brokers and controllers, racks, features and broker properties can be chosen"},
		{CanLogs, "the nodes' logs are written to the run's folder while they run"},
		{CanKeep, "a cluster can outlive the command that started it"},
		{CanService, "the external service has a link of its own, that can be cut and slowed; elsewhere workers call it directly"},
	}
}
