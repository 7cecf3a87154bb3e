package verifiers

import "github.com/chaeos/chaeos/harness"

// deletion is the fault after which a log may start above 0.
const deletion = "delete-records"

// checkCompleteness doubts a row whose logs were not read to their ends, moved while they were read, or begin above 0
// without a fault that deletes records.
func checkCompleteness(e *evidence, _ *harness.Numbers) []finding {
	parts := e.out.parts
	if !e.layout.ProducerOnly {
		parts = append(append([]*partLog(nil), e.in.parts...), parts...)
	}
	deleted := false
	for _, f := range e.run.record.Faults {
		deleted = deleted || f.Fault == deletion
	}
	var found []finding
	for _, p := range parts {
		for _, text := range p.doubts {
			found = append(found, doubt("%s", text)...)
		}
		if p.info.LogStart > 0 && !deleted {
			found = append(found, doubt("%s/%d starts at offset %d, and no fault deletes records", p.at.topic, p.at.partition, p.info.LogStart)...)
		}
	}
	return found
}
