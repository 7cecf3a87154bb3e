package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
)

var bites = Check{
	Name:    "bites",
	About:   "doubts a row on which a fault aimed at it took no effect: it would show what the pipeline does on a good day",
	Control: "a fault that took no effect",
	Begin:   always(finishBites),
}

// finishBites: of a fault that is repeated, one injection must take effect.
func finishBites(f *Facts, _ *harness.Numbers) []Finding {
	var found []Finding
	for _, fault := range f.Run.Record.Faults {
		name := fault.Fault + " " + fault.Target
		if !fault.Concerns(f.Layout.Name) && fault.Error == "" {
			continue // a fault that went wrong may have hit any row
		}
		switch bite := biteOf(fault, f.Layout.Name); {
		case fault.Error != "":
			found = append(found, doubt("%s went wrong: %s", name, fault.Error)...)
		case fault.Injected == 0:
			found = append(found, doubt("%s was never injected", name)...)
		case fault.Healed == 0:
			found = append(found, doubt("%s was never healed", name)...)
		case bite == nil:
			found = append(found, doubt("whether %s took effect was not measured", name)...)
		case !bite.Bit && fault.Series > 0 && seriesBit(f, fault.Series):
		case !bite.Bit:
			found = append(found, doubt("%s did not take effect: %s", name, bite.Proof)...)
		}
	}
	return found
}

// seriesBit reports whether one of a repeated fault's injections took effect on the pipeline.
func seriesBit(f *Facts, series int) bool {
	return slices.ContainsFunc(f.Run.Record.Faults, func(fault harness.FaultRecord) bool {
		bite := biteOf(fault, f.Layout.Name)
		return fault.Series == series && bite != nil && bite.Bit
	})
}

func biteOf(f harness.FaultRecord, pipeline string) *harness.Bite {
	for i := range f.Bites {
		if f.Bites[i].Pipeline == pipeline {
			return &f.Bites[i]
		}
	}
	return nil
}
