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

// readPolls reads the polls of the live reader once, and shows them to all who want them; nil wants none.
func readPolls(run *saved.Run, all ...func(*history.DeliveredLive)) error {
	var readers []func(*history.DeliveredLive)
	for _, show := range all {
		if show != nil {
			readers = append(readers, show)
		}
	}
	if len(readers) == 0 {
		return nil
	}
	var topics []string
	for _, l := range run.Record.Plan.Pipelines {
		topics = append(topics, l.Outputs()...) // also of side effects
	}
	return run.EachPoll(topics, func(p *history.DeliveredLive) {
		for _, show := range readers {
			show(p)
		}
	})
}

// factsOf finds all that is known of a row by itself.
func factsOf(s *rows.Subject, in *logs.Input, missing *causes.InputLosses, set *kit.Set) (*kit.Facts, error) {
	row, err := readOutput(s, in, set)
	if err != nil {
		return nil, err
	}
	if err := readPolls(s.Run, set.Polls(row)); err != nil {
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
