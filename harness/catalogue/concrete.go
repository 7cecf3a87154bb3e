package catalogue

import (
	"fmt"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
)

// draw makes the schedule concrete, for the pipelines that the experiment has now.
func (doc *document) draw(d drawer, exp harness.Experiment) ([]harness.ScheduledFault, error) {
	var out []harness.ScheduledFault
	for i, e := range doc.faults {
		path := fmt.Sprintf("%s.faults[%d]", doc.exp.Name, i)
		for n, at := range e.repeat.draw(d, path, e.at.draw(d, path+".at")) {
			one := path
			if n > 0 {
				one = fmt.Sprintf("%s[%d]", path, n)
			}
			f, err := e.draw(d, one+".", at)
			if err == nil {
				err = e.trigger(d, one+".", &f, doc.triggerScope(i, exp))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", doc.exp.Name, e.name, err)
			}
			if e.repeat.given() {
				f.Series = i + 1
			}
			out = append(out, f)
		}
	}
	return out, nil
}

// draw makes one fault of a line.
func (e entry) draw(d drawer, path string, at time.Duration) (harness.ScheduledFault, error) {
	options := map[string]any{}
	for name, s := range e.options {
		options[name] = s.draw(d, path+name)
	}
	fault, err := toxics.New(e.name, options)
	if err != nil {
		return harness.ScheduledFault{}, err
	}
	target, ok := e.target.draw(d, path+"target").(string)
	if !ok {
		return harness.ScheduledFault{}, fmt.Errorf("the target is not words")
	}
	return harness.ScheduledFault{
		At: at, For: e.lasts.draw(d, path+"for"), Name: e.name, Target: target, Fault: fault, Label: e.label,
		AimsAt: slices.Clone(e.aimsAt),
	}, nil
}
