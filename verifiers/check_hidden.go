package verifiers

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// checkHidden counts inputs whose only copies are at or above the last stable offset, or could be in a part of the log
// that was not read, and names the transactions that are still open.
func checkHidden(e *evidence, n *harness.Numbers) []finding {
	n.Hidden = e.hidden.Len()
	open := openIn(e.out.parts)
	if !e.layout.ProducerOnly {
		open = append(open, openIn(e.in.parts)...)
	}
	var found []finding
	if e.unread > 0 {
		found = doubt("whether %s inputs have an output is not known: their output partitions were not read to their ends", number(e.unread))
	}
	switch behind := n.Hidden - e.unread; {
	case behind > 0:
		return append(found, doubt("%s inputs are hidden behind an open transaction: %s", number(behind), cmpOr(strings.Join(open, "; "), "none is listed"))...)
	case len(open) > 0:
		return append(found, doubt("a transaction is still open: %s", strings.Join(open, "; "))...)
	}
	return found
}

func cmpOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// openIn names every open transaction: by the brokers' word where there is one, by the log otherwise.
func openIn(parts []*partLog) []string {
	var all []string
	for _, p := range parts {
		open := p.info.Open
		if len(open) == 0 {
			open = p.open
		}
		for _, o := range open {
			all = append(all, describeOpen(p, o))
		}
	}
	return all
}

func describeOpen(p *partLog, o observation.OpenTxn) string {
	id := "an unnamed transactional id"
	if o.TransactionalID != "" {
		id = o.TransactionalID
	}
	return fmt.Sprintf("%s (producer id %d, epoch %d) in %s/%d from offset %d", id, o.ProducerID, o.ProducerEpoch, p.at.topic, p.at.partition, o.Start)
}
