package verifiers

import (
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// gather finds what is known of a row, in this order: each step takes what the steps before it found. The checks of the set
// are shown what is read on the way.
func gather(s *rows.Subject, in *logs.Input, missing *causes.InputLosses, set *kit.Set) (*kit.Facts, error) {
	out, err := logs.ReadOutput(s.Run, in, s.Layout, set.Output)
	if err != nil {
		return nil, err
	}
	row := rows.New(s, in, out)
	if err := set.Replay(row); err != nil {
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
	inputLost, err := missing.Of(s)
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
