package results

import (
	"bytes"
	"fmt"
	"io"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// Life writes what happened to one record, for people: how it ended in each pipeline first, then every event in time
// order. Faults are lettered; an event carries the letters of those that were active. Errors are w's.
func Life(w io.Writer, l *harness.RecordLife) error {
	l = prose.Cleaned(l)
	var b bytes.Buffer
	fmt.Fprintf(&b, "source %d sequence %d   %s, run %s\n", l.Source, l.Sequence, l.Experiment, l.Run)
	lines := columnar(&b)
	for _, e := range l.Ends {
		fmt.Fprintf(lines, "%s\t%s\t%s\n", e.Pipeline, e.State, e.Text)
		for _, why := range e.Why {
			fmt.Fprintf(lines, "\t\t%s\n", why)
		}
	}
	flush(lines)
	for i, f := range l.Faults {
		fmt.Fprintf(&b, "fault %s  %s  %s\n", faultLetter(i), active(f, l.LoadStart), hit(f))
	}
	b.WriteByte('\n')
	lifeEvents(&b, l)
	for _, text := range l.Missing {
		fmt.Fprintf(&b, "not recorded: %s\n", text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Lives writes several lives with a line between them.
func Lives(w io.Writer, all []*harness.RecordLife) error {
	for i, l := range all {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := Life(w, l); err != nil {
			return err
		}
	}
	return nil
}

func lifeEvents(b *bytes.Buffer, l *harness.RecordLife) {
	lines := columnar(b)
	fmt.Fprintf(lines, "SECONDS\tFAULT\tWHERE\tWHAT\n")
	for _, e := range l.Events {
		during := ""
		for _, i := range e.Faults {
			during += faultLetter(i)
		}
		fmt.Fprintf(lines, "%s\t%s\t%s\t%s\n", lifeTime(l, e), during, where(e), e.Text)
		if c := e.Copy; c != nil && !c.Effect { // no broker has a batch of an effect
			fmt.Fprintf(lines, "\t\t\t%s\n", header(c))
		}
	}
	flush(lines)
}

// lifeTime is an event's time from the load's start; ~ marks one that is a batch's wall-clock stamp.
func lifeTime(l *harness.RecordLife, e harness.LifeEvent) string {
	text := fmt.Sprintf("%.6f", e.At.Sub(l.LoadStart).Seconds())
	if e.Estimated {
		return fmt.Sprintf("~%.3f", e.At.Sub(l.LoadStart).Seconds())
	}
	return text
}

func where(e harness.LifeEvent) string {
	switch {
	case e.Process != "" && e.Incarnation > 0:
		return fmt.Sprintf("%s #%d", e.Process, e.Incarnation)
	case e.Process != "":
		return e.Process
	case e.Kind == "stored" && e.Pipeline == "":
		return "input log"
	case e.Kind == "stored", e.Kind == "marker":
		return e.Pipeline + " log"
	case e.Kind == "accepted":
		return e.Pipeline + " service"
	case e.Kind == "injected" || e.Kind == "healed":
		return "fault"
	case e.Pipeline != "":
		return e.Pipeline
	}
	return "source"
}

// header quotes what a copy's batch says.
func header(c *harness.LogCopy) string {
	text := fmt.Sprintf("batch %d to %d, leader epoch %d, ", c.FirstOffset, c.LastOffset, c.LeaderEpoch)
	if c.ProducerID < 0 {
		text += "no producer id"
	} else {
		text += fmt.Sprintf("producer id %d epoch %d, base sequence %d, this record %d", c.ProducerID, c.Epoch, c.BaseSequence, c.Sequence)
	}
	switch {
	case !c.Transactional:
	case c.MarkerOffset < 0:
		text += ", transactional, no marker ended it"
	default:
		text += fmt.Sprintf(", transactional, ended by the marker at offset %d", c.MarkerOffset)
	}
	return text
}

// faultLetter names the i-th fault: A to Z, then AA.
func faultLetter(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return faultLetter(i/26-1) + faultLetter(i%26)
}

// LivesJSON writes lives for programs, one document each; times are nanoseconds of the run's monotonic clock.
func LivesJSON(w io.Writer, all []*harness.RecordLife) error {
	for _, l := range all {
		if err := EncodeJSON(w, l); err != nil {
			return err
		}
	}
	return nil
}
