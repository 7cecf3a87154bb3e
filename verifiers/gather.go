package verifiers

import (
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// What is known of a row is found in this order: its output is read, then the polls of the live reader, once for all rows, then
// everything that takes both. The checks of the set are shown what is read on the way.

// readOutput reads a row's output.
func readOutput(s *rows.Subject, in *logs.Input, set *kit.Set) (*rows.Row, error) {
	out, err := logs.ReadOutput(s.Run, in, s.Layout, set.Output)
	if err != nil {
		return nil, err
	}
	return rows.New(s, in, out), nil
}

// readPolls reads the polls of the live reader once, and shows each to the checks of the rows that write to its topic.
func readPolls(run *saved.Run, all ...pollsOf) error {
	readers := map[string][]func(*history.DeliveredLive){}
	for _, x := range all {
		if show := x.set.Polls(x.row); show != nil {
			for _, topic := range x.row.Layout.Outputs() {
				readers[topic] = append(readers[topic], show)
			}
		}
	}
	if len(readers) == 0 {
		return nil
	}
	return run.EachPoll(func(p *history.DeliveredLive) {
		for _, show := range readers[p.Topic] {
			show(p)
		}
	})
}

// pollsOf are the polls of a row's output, and the checks that are shown them.
type pollsOf struct {
	row *rows.Row
	set *kit.Set
}

// factsOf finds all that is known of a row by itself.
func factsOf(s *rows.Subject, in *logs.Input, missing *causes.InputLosses, set *kit.Set) (*kit.Facts, error) {
	row, err := readOutput(s, in, set)
	if err != nil {
		return nil, err
	}
	if err := readPolls(s.Run, pollsOf{row, set}); err != nil {
		return nil, err
	}
	return gather(row, missing, set)
}

// gather finds the rest of what is known of a row: each step takes what the steps before it found.
func gather(row *rows.Row, missing *causes.InputLosses, set *kit.Set) (*kit.Facts, error) {
	if err := set.Histories(row); err != nil {
		return nil, err
	}
	gone, err := causes.LookIntoSuspects(row, set.Transaction)
	if err != nil {
		return nil, err
	}
	copies, err := causes.TraceCopies(row)
	if err != nil {
		return nil, err
	}
	inputLost, err := missing.Of(row.Subject)
	if err != nil {
		return nil, err
	}
	losses, err := causes.FindLosses(row, copies, gone)
	if err != nil {
		return nil, err
	}
	stalls, err := causes.Stalls(row)
	if err != nil {
		return nil, err
	}
	return &kit.Facts{
		Row: row, Copies: copies, InputLost: inputLost, Losses: losses, Stalls: stalls, Open: causes.Hanging(row),
	}, nil
}
