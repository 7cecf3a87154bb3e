package harness

// MemberState is the state of a source's or worker's process.
type MemberState string

// The states of a member.
const (
	MemberRunning MemberState = "running"
	MemberPaused  MemberState = "paused"
	MemberDead    MemberState = "dead"
)

// Member is a source or worker process as the harness sees it.
type Member struct {
	// Name is the process ("transactional-0", "source-input"), the same in every incarnation.
	Name string
	// Role is "worker" or "source".
	Role        string
	Pipeline    string
	Number      int
	Incarnation int
	Pid         int
	State       MemberState
	// Partitions are the input partitions that a worker owns now, as it last reported.
	Partitions []int32
	// WaitingAt is the armed phase at which the worker waits now ("" when it doesn't).
	WaitingAt string
	// Held counts the records polled and not finished when it began to wait.
	Held uint64
}
