package verifiers

import "github.com/chaeos/chaeos/harness"

// checkBites doubts a row that a fault did not hit: it would show what the pipeline does on a good day.
func checkBites(e *evidence, _ *harness.Numbers) []finding {
	var found []finding
	for _, f := range e.run.record.Faults {
		name := f.Fault + " " + f.Target
		switch bite := biteOf(f, e.layout.Name); {
		case f.Error != "":
			found = append(found, doubt("%s went wrong: %s", name, f.Error)...)
		case f.Injected == 0:
			found = append(found, doubt("%s was never injected", name)...)
		case f.Healed == 0:
			found = append(found, doubt("%s was never healed", name)...)
		case bite == nil:
			found = append(found, doubt("whether %s bit was not measured", name)...)
		case !bite.Bit:
			found = append(found, doubt("%s did not bite: %s", name, bite.Proof)...)
		}
	}
	return found
}

func biteOf(f harness.FaultRecord, pipeline string) *harness.Bite {
	for i := range f.Bites {
		if f.Bites[i].Pipeline == pipeline {
			return &f.Bites[i]
		}
	}
	return nil
}
