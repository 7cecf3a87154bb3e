package explain

import (
	"fmt"
	"maps"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers"
)

// about names an anomaly by what it is about.
type about struct {
	pipeline string
	kind     harness.AnomalyKind
	history.Identity
}

// causes adds the verifier's word to the ends of records that are lost, there more than once, or gone from the input log. No
// cause is worked out here: reports and lives must not say different things. What is not known yet is asked for once.
func (all tellings) causes(f *folder, known []harness.Anomaly) error {
	have := index(known)
	var asked []verifiers.Question
	for _, t := range all {
		for i, l := range t.rows {
			at, explained := t.explained(l, t.life.Ends[i])
			if _, is := have[at]; explained && !is {
				asked = append(asked, verifiers.Question{Pipeline: l.Name, Identity: t.life.Identity, At: t.inputPlaces()})
			}
		}
	}
	if len(asked) > 0 {
		more, err := verifiers.About(f.dir, asked)
		if err != nil {
			return err
		}
		maps.Copy(have, index(more))
	}
	for _, t := range all {
		for i, l := range t.rows {
			if at, explained := t.explained(l, t.life.Ends[i]); explained {
				t.caused(l, &t.life.Ends[i], have[at])
			}
		}
	}
	return nil
}

func index(all []harness.Anomaly) map[about]*harness.Anomaly {
	found := map[about]*harness.Anomaly{}
	for i := range all {
		if r := all[i].Record; r != nil {
			found[about{all[i].Pipeline, all[i].Kind, history.Identity{Source: r.Source, Sequence: r.Sequence}}] = &all[i]
		}
	}
	return found
}

// explained names the anomaly that an end calls for.
func (t *telling) explained(l harness.PipelineLayout, end harness.LifeEnd) (at about, explained bool) {
	at = about{l.Name, "", t.life.Identity}
	switch {
	case end.State == "lost":
		at.kind = harness.AnomalyLost
	case end.State == "duplicated":
		at.kind = harness.AnomalyDuplicate
	case !l.ProducerOnly && len(t.inputs) == 0 && t.acked:
		at.kind = harness.AnomalyAckedAbsent
	}
	return at, at.kind != ""
}

// caused takes the verifier's word (nil: it has none).
func (t *telling) caused(l harness.PipelineLayout, end *harness.LifeEnd, found *harness.Anomaly) {
	if end.State == "duplicated" {
		end.Why = t.again(l, found)
	}
	if found == nil {
		return
	}
	end.Cause, end.Anomaly = found.Cause, found
	if end.State != "duplicated" {
		end.Why = append(end.Why, lossText(found))
	}
}

// inputPlaces are where the record is in its source's topic.
func (t *telling) inputPlaces() (places []harness.Place) {
	for _, in := range t.inputs {
		places = append(places, harness.Place{Topic: in.Topic, Partition: in.Partition, Offset: in.Offset})
	}
	return places
}

func lossText(a *harness.Anomaly) string {
	if a.Cause == "" {
		return a.Text
	}
	return a.Cause + ": " + a.Text
}

// again says for each further copy what it shares with an earlier one, why it was made, and what it came of.
func (t *telling) again(l harness.PipelineLayout, a *harness.Anomaly) []string {
	var visible []*harness.LogCopy
	for _, c := range t.copies[l.Name] {
		if given(l, c) {
			visible = append(visible, c)
		}
	}
	var why []string
	for i, c := range visible[1:] {
		place := fmt.Sprintf("the copy at %s/%d offset %d", t.short(c.Topic), c.Partition, c.Offset)
		if c.Effect {
			place = effect(c)
		}
		why = append(why, place+": "+difference(c, visible[:i+1])+causeOf(a, c))
	}
	return why
}

// causeOf is what the verifier says of one copy.
func causeOf(a *harness.Anomaly, c *harness.LogCopy) string {
	if a == nil {
		return ""
	}
	for _, x := range a.Copies {
		if x.Partition != c.Partition || x.Offset != c.Offset || x.Cause == "" {
			continue
		}
		text := " (" + x.Cause + ")"
		if x.Reread != nil {
			text += "; " + x.Reread.Text
		}
		return text
	}
	return ""
}

// difference is what a copy shares with an earlier one.
func difference(c *harness.LogCopy, earlier []*harness.LogCopy) string {
	text := "delivered again"
	if c.Origin == nil {
		text = "sent again by the client"
	}
	for _, o := range earlier {
		switch {
		case c.ProducerID >= 0 && c.Sequence >= 0 && o.Partition == c.Partition && o.ProducerID == c.ProducerID && o.Epoch == c.Epoch && o.Sequence == c.Sequence:
			return fmt.Sprintf("the same producer id %d, epoch %d and sequence %d as at offset %d: the broker stored one batch twice", c.ProducerID, c.Epoch, c.Sequence, o.Offset)
		case c.Origin == nil || o.Origin == nil:
		case o.Origin.Worker == c.Origin.Worker && o.Origin.Incarnation == c.Origin.Incarnation && o.Origin.Processing == c.Origin.Processing:
			text = fmt.Sprintf("the same processing %d of worker %d incarnation %d as at offset %d: sent again", c.Origin.Processing, c.Origin.Worker, c.Origin.Incarnation, o.Offset)
		case text == "delivered again":
			text = fmt.Sprintf("delivered again: worker %d incarnation %d processed it after worker %d incarnation %d",
				c.Origin.Worker, c.Origin.Incarnation, o.Origin.Worker, o.Origin.Incarnation)
		}
	}
	return text
}
