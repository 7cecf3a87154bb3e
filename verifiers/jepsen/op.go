package jepsen

import "github.com/chaeos/chaeos/harness/history"

// The operations that the workload has.
const (
	fSend      = "send"
	fPoll      = "poll"
	fTxn       = "txn"
	fAssign    = "assign"
	fSubscribe = "subscribe"
	fCrash     = "crash"
	fDebug     = "debug-topic-partitions"
)

// The types of a completion: it took place, it did not, it may have.
const (
	ok   = "ok"
	fail = "fail"
	info = "info"
)

// op is one operation: an invocation, and later its completion by the same process.
type op struct {
	f string
	// by names who did it; process is Jepsen's number of it.
	by      string
	process int
	// outcome is the completion's type.
	outcome string
	polls   []poll
	sends   []send
	// keys are what was assigned or subscribed to; fromStart is set where reading begins at the start again.
	keys      []int32
	fromStart bool
	// names says what the keys are, where that is the operation.
	names func(int32) string
	// rebalances are the keys that came or went meanwhile, one list for each time.
	rebalances [][]int32
	// unnamed counts, by key, sends that were confirmed and that nothing names.
	unnamed map[int32]uint64
	// reason is why it failed, or is not known ("" none).
	reason string
}

// poll is what a poll was given of one log: a range of it, or records (then log is nil).
type poll struct {
	log      *log
	key      int32
	records  []send
	from, to int64
	// count is how many records it brought, as it was recorded, and by when it had, in milliseconds of the wall clock.
	count uint64
	by    int64
	// uncommitted is set where the reader is also given what no transaction has committed.
	uncommitted bool
	// processing is the ordinal of the first of its records, partition the input partition.
	processing uint64
	partition  int32
}

// send is one record that was sent.
type send struct {
	key   int32
	value value
	// offset is where it was stored (-1: not known).
	offset int64
}

// event is an invocation or a completion at its time.
type event struct {
	at        history.Time
	completes bool
	op        *op
}
