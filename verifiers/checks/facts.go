package verifiers

import "github.com/chaeos/chaeos/harness"

// facts are everything that the checks of one row may look at.
type facts struct {
	*row
	txns       txnSums
	duplicates *provenance
	losses     *losses
	stalls     []harness.Stall
	open       []harness.Hanging
	// inputLost are acknowledged records that are not in the input log.
	inputLost *missingAcks
}

// gather finds a row's facts. Each step takes what the ones before it found.
func gather(r *run, in *inputLog, layout harness.PipelineLayout, keep keeping, missing *inputLosses) (*facts, error) {
	of, err := newRow(r, in, layout, keep)
	if err != nil {
		return nil, err
	}
	e := &facts{row: of}
	if err = lookIntoSuspects(of, e.txns.take); err != nil {
		return nil, err
	}
	if e.duplicates, err = trace(of); err != nil {
		return nil, err
	}
	if !layout.ProducerOnly {
		if e.inputLost, err = missing.of(e.source, layout.Source); err != nil {
			return nil, err
		}
	}
	if e.losses, err = findLosses(of, e.duplicates, e.txns.gone); err != nil {
		return nil, err
	}
	e.open = hanging(of)
	e.stalls, err = findStalls(of)
	return e, err
}
