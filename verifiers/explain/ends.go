package explain

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// ends says how the record ended in every row, and in each topic of a row that has several.
func (t *telling) ends() {
	for _, l := range t.rows {
		for _, topic := range l.Outputs() {
			end := t.end(l, topic)
			end.Pipeline = l.Name
			if len(l.Further) > 0 {
				end.Text = t.short(topic) + ": " + end.Text
			}
			t.life.Ends = append(t.life.Ends, end)
		}
	}
}

func (t *telling) end(l harness.PipelineLayout, topic string) harness.LifeEnd {
	standing := map[string][]*harness.LogCopy{}
	for _, c := range t.copies[l.Name] {
		switch {
		case c.Topic != topic:
		case given(l, c):
			standing["visible"] = append(standing["visible"], c)
		default:
			standing[c.Standing] = append(standing[c.Standing], c)
		}
	}
	visible := standing["visible"]
	if l.Effects && (len(visible) > 0 || !t.whole[l.Name]) {
		return ofEffects(visible)
	}
	switch {
	case len(visible) > 1:
		return harness.LifeEnd{State: "duplicated", Text: fmt.Sprintf("visible %d times", len(visible))}
	case len(visible) == 1:
		return harness.LifeEnd{State: "visible", Text: fmt.Sprintf("visible once, in %s/%d at offset %d", t.short(visible[0].Topic), visible[0].Partition, visible[0].Offset)}
	case len(standing["hidden"]) > 0:
		return harness.LifeEnd{State: "hidden", Text: "its only copies are behind a transaction that is still open: neither visible nor lost"}
	case !t.whole[l.Name]:
		return harness.LifeEnd{State: "unknown", Text: "no copy was found, in an output log that was not read to its end"}
	case l.ProducerOnly:
		return t.absent()
	case len(t.inputs) == 0:
		return harness.LifeEnd{State: "unknown", Text: "it is not in the input log: the pipeline never had it (the source's fault, where it was acknowledged)"}
	}
	return t.notVisible(l, standing["aborted"])
}

// given means that a row's own readers are given a copy: those with read_uncommitted are given all of them.
func given(l harness.PipelineLayout, c *harness.LogCopy) bool {
	return c.Standing == "visible" || l.ReadUncommittedOutput
}

// ofEffects is what came of a record for which an external service was called.
func ofEffects(accepted []*harness.LogCopy) harness.LifeEnd {
	switch len(accepted) {
	case 0:
		return harness.LifeEnd{State: "unknown", Text: "no side effect was found, in a store that was not read to its end"}
	case 1:
		return harness.LifeEnd{State: "visible", Text: "accepted once by the external service, as " + effect(accepted[0])}
	}
	return harness.LifeEnd{State: "duplicated", Text: fmt.Sprintf("accepted %d times by the external service", len(accepted))}
}

// absent is a producer's own record that is not in its log.
func (t *telling) absent() harness.LifeEnd {
	if t.acked {
		return harness.LifeEnd{State: "lost", Text: "acknowledged, and not in the log", Why: t.inItsPlace()}
	}
	return harness.LifeEnd{State: "unknown", Text: "not in the log, and never acknowledged: nothing was promised"}
}

// inItsPlace says what the log holds where the acknowledgements said that the record is.
func (t *telling) inItsPlace() []string {
	var why []string
	for _, p := range t.named {
		text := fmt.Sprintf("at %s/%d offset %d, where the acknowledgement said it is: ", t.short(p.Topic), p.Partition, p.Offset)
		why = append(why, text+t.heldAt(p))
	}
	return why
}

func (t *telling) notVisible(l harness.PipelineLayout, aborted []*harness.LogCopy) harness.LifeEnd {
	var why []string
	for _, c := range aborted {
		why = append(why, fmt.Sprintf("the copy at %s/%d offset %d was aborted by the marker at offset %d", t.short(c.Topic), c.Partition, c.Offset, c.MarkerOffset))
	}
	for _, in := range t.inputs {
		if at := t.position(l, in.Partition); at > in.Offset {
			return harness.LifeEnd{State: "lost", Text: fmt.Sprintf("no visible output, though offset %d of input partition %d is committed", at, in.Partition), Why: why}
		}
	}
	return harness.LifeEnd{State: "unprocessed", Text: "no visible output, and no committed offset passed it", Why: why}
}

// position is how far the group's commits reach in an input partition.
func (t *telling) position(l harness.PipelineLayout, partition int32) int64 {
	at := t.passed[l.Name][partition]
	for _, p := range t.index.Positions {
		if p.Group == l.Group && p.Partition == partition {
			at = max(at, p.Offset)
		}
	}
	return at
}
