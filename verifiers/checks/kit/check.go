package kit

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// Check is one thing that is looked for in every row.
type Check struct {
	Name string
	// About says in a sentence what it looks for, for docs/NUMBERS.md.
	About string
	// Numbers are what it counts and measures, in the order in which reports show them.
	Numbers []harness.Number
	// Control is the planted fault that tests find it by.
	Control string
	// Begin starts counting for one row, and returns nil where the check does not apply to it.
	Begin func(s *rows.Subject) Counting
}

// Counting is a check at work on one row. One that wants to be shown the row's data while it is read implements some of
// OutputReader, InputReader, TransactionReader, PollReader and HistoryReader too.
type Counting interface {
	// Finish sets the check's numbers once everything is known, and says what they prove.
	Finish(f *Facts, n *harness.Numbers) []Finding
}

// OutputReader is shown the batches of the row's output, partition by partition: Output makes the reader of each before its
// first batch. Partitions are read at the same time, so readers share nothing; Finish puts them together.
type OutputReader interface {
	Output(p *logs.Partition) logs.Reader
}

// InputReader is shown the batches of the row's input log in the same way. A source under test has none.
type InputReader interface {
	Input(p *logs.Partition) logs.Reader
}

// TransactionReader is shown each transaction that is not proved to have left just what was confirmed of it, after the logs
// were read: by worker, incarnation and ordinal.
type TransactionReader interface {
	Transaction(r *rows.Row, s *causes.Suspect)
}

// PollReader is shown each poll of the live reader that brought records of the row's output, compared with the final log, after
// the logs were read and in the order in which the polls were made. A poll is used again.
type PollReader interface {
	Poll(r *rows.Row, p *Poll)
}

// HistoryReader is shown the histories of the row's workers, after the logs were read: worker by worker, in order. Entries
// are used again.
type HistoryReader interface {
	Entry(r *rows.Row, w *saved.Worker, e history.Entry)
}

// Facts are everything that checks may look at in the end.
type Facts struct {
	*rows.Row
	// Copies are where the copies beyond the first come from, Losses why inputs are lost, and InputLost why records that were
	// acknowledged to the source are not in the input log (nil if the source is under test).
	Copies    *causes.Copies
	Losses    *causes.Losses
	InputLost *causes.MissingAcks
	// Stalls are standstills of last stable offsets, Open the transactions that never ended.
	Stalls []harness.Stall
	Open   []harness.Hanging
}

// AtEnd is a check that only looks at facts.
type AtEnd func(f *Facts, n *harness.Numbers) []Finding

// Finish implements Counting.
func (a AtEnd) Finish(f *Facts, n *harness.Numbers) []Finding { return a(f, n) }

// Always begins a check that applies to every row.
func Always(finish AtEnd) func(*rows.Subject) Counting {
	return func(*rows.Subject) Counting { return finish }
}
