package workloads

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
)

// planMembers lists a run's members, sorted by name: the shared source where a pipeline reads its topic, one source for
// each producer-only pipeline, and the workers.
func planMembers(f harness.FleetSpec) ([]*member, error) {
	var members []*member
	shared := false
	for _, layout := range f.Plan.Pipelines {
		if _, err := Lookup(layout.Name); err != nil {
			return nil, err
		}
		if layout.ProducerOnly {
			m := planSource(f, "source-"+layout.Name, layout.Name, layout.Source, layout.Output)
			m.template.Checkpoint = filepath.Join(f.Dir, "processes", m.Name+".checkpoint")
			if len(layout.TransactionalIDs) > 0 {
				m.template.TransactionalID = layout.TransactionalIDs[0]
			}
			members = append(members, m)
			continue
		}
		shared = true
		for n := range f.Experiment.Workers {
			members = append(members, planWorker(f, layout, n))
		}
	}
	if slices.ContainsFunc(f.Plan.Pipelines, func(l harness.PipelineLayout) bool { return l.Effects }) {
		s := planSpec(f, serviceName, roleService, "")
		s.Effects = effects.Path(f.Dir)
		members = append(members, newMember(s))
	}
	if shared {
		members = append(members, planSource(f, "source-input", "", harness.SharedSource, f.Plan.Input))
	}
	slices.SortFunc(members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
	return members, nil
}

func planSource(f harness.FleetSpec, name, pipeline string, number uint16, topic string) *member {
	s := planSpec(f, name, roleSource, pipeline)
	s.Number, s.Output = number, topic
	return newMember(s)
}

func planWorker(f harness.FleetSpec, layout harness.PipelineLayout, n int) *member {
	s := planSpec(f, fmt.Sprintf("%s-%d", layout.Name, n), roleWorker, layout.Name)
	s.Number, s.Input, s.Output, s.Further, s.Group = uint16(n), f.Plan.Input, layout.Output, layout.Further, layout.Group
	if n < len(layout.TransactionalIDs) {
		s.TransactionalID = layout.TransactionalIDs[n]
	}
	return newMember(s)
}

func planSpec(f harness.FleetSpec, name, role, pipeline string) spec {
	return spec{
		Name: name, Role: role, Pipeline: pipeline, Run: f.RunID,
		Bootstrap: f.Cluster.Info().Bootstrap, Partitions: f.Plan.Partitions,
		Shared: f.Experiment.Shared, Load: f.Experiment.Load, Options: f.Experiment.Options[pipeline],
	}
}

func newMember(s spec) *member {
	m := &member{template: s}
	m.Name, m.Role, m.Pipeline, m.Number, m.State = s.Name, s.Role, s.Pipeline, int(s.Number), harness.MemberDead
	return m
}

// firstSequence is the first sequence that no incarnation intended: sequences stay dense over a source's restarts.
func firstSequence(dir string, earlier []harness.HistoryRecord) (uint64, error) {
	var first uint64
	for _, h := range earlier {
		if h.Role != roleSource {
			continue
		}
		_, err := history.ReadFile(filepath.Join(dir, h.File), func(e history.Entry) error {
			if intent, ok := e.(*history.Intent); ok {
				first = max(first, intent.First+intent.Count)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return first, nil
}

// incident says what was unplanned about the process's end, if anything was.
func (l *life) incident() (string, bool) {
	err := l.process.Err()
	switch {
	case l.killed, l.stopped && err == nil:
		return "", false
	case err == nil && l.told == "":
		return "ended without being told to" + logTail(l.log), true
	}
	reason := fmt.Sprint(err)
	if l.told != "" {
		reason += ": " + l.told
	}
	return "ended by itself: " + reason + logTail(l.log), true
}

// An incident quotes so many lines of a log, and so many bytes of each.
const (
	logTailLines = 3
	logTailWidth = 200
)

// logTail quotes the end of a process's log.
func logTail(path string) string {
	data, err := os.ReadFile(path)
	text := strings.TrimSpace(string(data))
	if err != nil || text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-logTailLines):]
	for i, line := range lines {
		lines[i] = line[:min(len(line), logTailWidth)]
	}
	return "; its log ends: " + strings.Join(lines, " | ")
}
