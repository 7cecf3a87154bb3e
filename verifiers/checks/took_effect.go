package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var tookEffect = kit.Check{
	Name:    "took-effect",
	About:   "doubts a row on which a fault aimed at it took no effect: it would show what the pipeline does on a good day",
	Control: "a fault that took no effect",
	Begin:   kit.Always(finishTookEffect),
}

// finishTookEffect: of a fault that is repeated, one injection must take effect.
func finishTookEffect(f *kit.Facts, _ *harness.Numbers) []kit.Finding {
	var found []kit.Finding
	for _, fault := range f.Run.Record.Faults {
		name := fault.Fault + " " + fault.Target
		if !fault.Concerns(f.Layout.Name) && fault.Error == "" {
			continue // a fault that went wrong may have hit any row
		}
		switch proof := proofOf(fault, f.Layout.Name); {
		case fault.Error != "":
			found = append(found, kit.Doubt("%s went wrong: %s", name, fault.Error)...)
		case fault.Injected == 0:
			found = append(found, kit.Doubt("%s was never injected", name)...)
		case fault.Healed == 0:
			found = append(found, kit.Doubt("%s was never healed", name)...)
		case proof == nil:
			found = append(found, kit.Doubt("whether %s took effect was not measured", name)...)
		case !proof.TookEffect && fault.Series > 0 && seriesTookEffect(f, fault.Series):
		case !proof.TookEffect:
			found = append(found, kit.Doubt("%s did not take effect: %s", name, proof.Text)...)
		}
	}
	return found
}

// seriesTookEffect reports whether one of a repeated fault's injections took effect on the pipeline.
func seriesTookEffect(f *kit.Facts, series int) bool {
	return slices.ContainsFunc(f.Run.Record.Faults, func(fault harness.FaultRecord) bool {
		proof := proofOf(fault, f.Layout.Name)
		return fault.Series == series && proof != nil && proof.TookEffect
	})
}

func proofOf(f harness.FaultRecord, pipeline string) *harness.Proof {
	for i := range f.Proofs {
		if f.Proofs[i].Pipeline == pipeline {
			return &f.Proofs[i]
		}
	}
	return nil
}
