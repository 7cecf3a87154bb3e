package checks

import (
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// facts are everything that the checks of one row may look at.
type Facts struct {
	*rows.Row
	txns       txnCounts
	Duplicates *causes.Copies
	Losses     *causes.Losses
	Stalls     []harness.Stall
	Open       []harness.Hanging
	// inputLost are acknowledged records that are not in the input log.
	InputLost *causes.MissingAcks
}

// gather finds a row's facts. Each step takes what the ones before it found.
func Gather(r *saved.Run, in *logs.Input, layout harness.PipelineLayout, keep rows.Keep, missing *causes.InputLosses) (*Facts, error) {
	of, err := rows.New(r, in, layout, keep)
	if err != nil {
		return nil, err
	}
	e := &Facts{Row: of}
	if err = causes.LookIntoSuspects(of, e.txns.take); err != nil {
		return nil, err
	}
	if e.Duplicates, err = causes.TraceCopies(of); err != nil {
		return nil, err
	}
	if !layout.ProducerOnly {
		if e.InputLost, err = missing.Of(e.Source, layout.Source); err != nil {
			return nil, err
		}
	}
	if e.Losses, err = causes.FindLosses(of, e.Duplicates, e.txns.gone); err != nil {
		return nil, err
	}
	e.Open = causes.Hanging(of)
	e.Stalls, err = causes.Stalls(of)
	return e, err
}
