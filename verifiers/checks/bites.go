package checks

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// checkBites doubts a row that a fault aimed at it did not hit: it would show what the pipeline does on a good day. Of a
// fault that is repeated, one must hit.
func checkBites(e *Facts, _ *harness.Numbers) []Finding {
	var found []Finding
	for _, f := range e.Run.Record.Faults {
		name := f.Fault + " " + f.Target
		if !f.Concerns(e.Layout.Name) && f.Error == "" {
			continue // a fault that went wrong may have hit anybody
		}
		switch bite := biteOf(f, e.Layout.Name); {
		case f.Error != "":
			found = append(found, doubt("%s went wrong: %s", name, f.Error)...)
		case f.Injected == 0:
			found = append(found, doubt("%s was never injected", name)...)
		case f.Healed == 0:
			found = append(found, doubt("%s was never healed", name)...)
		case bite == nil:
			found = append(found, doubt("whether %s bit was not measured", name)...)
		case !bite.Bit && f.Series > 0 && seriesBit(e, f.Series):
		case !bite.Bit:
			found = append(found, doubt("%s did not bite: %s", name, bite.Proof)...)
		}
	}
	return found
}

// seriesBit says whether one of a repeated fault's injections hit the pipeline.
func seriesBit(e *Facts, series int) bool {
	return slices.ContainsFunc(e.Run.Record.Faults, func(f harness.FaultRecord) bool {
		bite := biteOf(f, e.Layout.Name)
		return f.Series == series && bite != nil && bite.Bit
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
