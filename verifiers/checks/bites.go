package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
)

var bites = kit.Check{
	Name:    "bites",
	About:   "doubts a row on which a fault aimed at it took no effect: it would show what the pipeline does on a good day",
	Control: "a fault that took no effect",
	Begin:   kit.Always(finishBites),
}

// finishBites: of a fault that is repeated, one injection must take effect.
func finishBites(f *kit.Facts, _ *harness.Numbers) []kit.Finding {
	var found []kit.Finding
	for _, fault := range f.Run.Record.Faults {
		name := fault.Fault + " " + fault.Target
		if !fault.Concerns(f.Layout.Name) && fault.Error == "" {
			continue // a fault that went wrong may have hit any row
		}
		switch bite := biteOf(fault, f.Layout.Name); {
		case fault.Error != "":
			found = append(found, kit.Doubt("%s went wrong: %s", name, fault.Error)...)
		case fault.Injected == 0:
			found = append(found, kit.Doubt("%s was never injected", name)...)
		case fault.Healed == 0:
			found = append(found, kit.Doubt("%s was never healed", name)...)
		case bite == nil:
			found = append(found, kit.Doubt("whether %s took effect was not measured", name)...)
		case !bite.TookEffect && fault.Series > 0 && seriesBit(f, fault.Series):
		case !bite.TookEffect:
			found = append(found, kit.Doubt("%s did not take effect: %s", name, bite.Text)...)
		}
	}
	return found
}

// seriesBit reports whether one of a repeated fault's injections took effect on the pipeline.
func seriesBit(f *kit.Facts, series int) bool {
	return slices.ContainsFunc(f.Run.Record.Faults, func(fault harness.FaultRecord) bool {
		bite := biteOf(fault, f.Layout.Name)
		return fault.Series == series && bite != nil && bite.TookEffect
	})
}

func biteOf(f harness.FaultRecord, pipeline string) *harness.Proof {
	for i := range f.Proofs {
		if f.Proofs[i].Pipeline == pipeline {
			return &f.Proofs[i]
		}
	}
	return nil
}
