package target

import "strconv"

// Target is a parsed selector. What it selects is found when a fault is injected.
type Target struct {
	text string
	form *form
	// words are the selector's variable parts by the names of their pattern's groups: "topic", "partition", "pipeline", "number".
	words map[string]string
	// union and but make a compound target: what any target of the first selects, without what any of the second selects.
	union, but []Target
	// draw chooses among what a random target selects.
	draw uint64
}

func (t Target) String() string { return t.text }

// Class is what the target selects.
func (t Target) Class() Class { return t.form.class }

// Names lists the topics and pipelines that the target names.
func (t Target) Names() (all []string) {
	for _, part := range []string{"topic", "pipeline"} {
		if name := t.words[part]; name != "" {
			all = append(all, name)
		}
	}
	return all
}

// number returns a numeric part. The patterns allow digits only; a number out of range counts as the largest.
func (t Target) number(name string) int {
	n, err := strconv.ParseInt(t.words[name], 10, 32)
	if err != nil {
		return 1<<31 - 1
	}
	return int(n)
}

func (t Target) partition() int32 { return int32(t.number("partition")) }
