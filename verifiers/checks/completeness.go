package verifiers

import "github.com/chaeos/chaeos/harness"

// checkCompleteness doubts a row whose logs were not read to their ends, moved while they were read, or begin above 0
// without a fault that moved them there.
func checkCompleteness(e *facts, _ *harness.Numbers) []finding {
	parts := e.out.parts
	if !e.layout.ProducerOnly {
		parts = append(append([]*partLog(nil), e.in.parts...), parts...)
	}
	var found []finding
	for _, p := range parts {
		for _, text := range p.doubts {
			found = append(found, doubt("%s", text)...)
		}
		switch d := deletionOf(e.run, p); {
		case d == nil:
		case d.Fault == "":
			found = append(found, doubt("%s", describeDeletion(d))...)
		default:
			found = append(found, note("%s", describeDeletion(d))...)
		}
	}
	return append(found, sampled(parts)...)
}

// sampled says how much of the logs no read_committed client was asked for.
func sampled(parts []*partLog) []finding {
	var seen, committed uint64
	for _, p := range parts {
		if len(p.info.Checked) > 0 && p.info.ClientErr == "" {
			seen, committed = seen+p.seen, committed+p.info.Committed.Count
		}
	}
	if seen == committed {
		return nil
	}
	return note("a read_committed client was asked for %s of %s committed records, the ends and aborted transactions first: that it would see the others rests on the log's markers",
		number(seen), number(committed))
}
