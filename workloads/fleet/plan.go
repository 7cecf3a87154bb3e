package fleet

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/effects"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// plan lists a run's members, sorted by name: the shared source if a pipeline reads its topic, one source for each
// producer under test, the workers, and the external service if a pipeline calls it.
func (f *Fleet) plan() []*member {
	var members []*member
	shared, called := false, false
	for _, layout := range f.spec.Plan.Pipelines {
		called = called || layout.Effects
		if layout.ProducerOnly {
			members = append(members, f.planProducer(layout))
			continue
		}
		shared = true
		for n := range f.spec.Experiment.Workers {
			members = append(members, f.planWorker(layout, n))
		}
	}
	if called {
		s := f.planSpec(protocol.ServiceName, protocol.RoleService, "")
		s.Effects = effects.Path(f.spec.Dir)
		members = append(members, f.newMember(s))
	}
	if shared {
		members = append(members, f.planSource("source-input", "", harness.SharedSource, f.spec.Plan.Input))
	}
	slices.SortFunc(members, byName)
	return members
}

func byName(a, b *member) int { return strings.Compare(a.Name, b.Name) }

func (f *Fleet) planProducer(layout harness.PipelineLayout) *member {
	m := f.planSource("source-"+layout.Name, layout.Name, layout.Source, layout.Output)
	m.template.Checkpoint = filepath.Join(f.spec.Dir, "processes", m.Name+".checkpoint")
	if len(layout.TransactionalIDs) > 0 {
		m.template.TransactionalID = layout.TransactionalIDs[0]
	}
	return m
}

func (f *Fleet) planSource(name, pipeline string, number uint16, topic string) *member {
	s := f.planSpec(name, protocol.RoleSource, pipeline)
	s.Number, s.Output = number, topic
	return f.newMember(s)
}

func (f *Fleet) planWorker(layout harness.PipelineLayout, n int) *member {
	s := f.planSpec(fmt.Sprintf("%s-%d", layout.Name, n), protocol.RoleWorker, layout.Name)
	s.Number, s.Input, s.Output, s.Further, s.Group = uint16(n), f.spec.Plan.Input, layout.Output, layout.Further, layout.Group
	if n < len(layout.TransactionalIDs) {
		s.TransactionalID = layout.TransactionalIDs[n]
	}
	return f.newMember(s)
}

func (f *Fleet) planSpec(name, role, pipeline string) protocol.Spec {
	exp := f.spec.Experiment
	return protocol.Spec{
		Name: name, Role: role, Pipeline: pipeline, Run: f.spec.RunID,
		Bootstrap: f.spec.Cluster.Info().Bootstrap, Partitions: f.spec.Plan.Partitions,
		Shared: exp.Shared, Load: exp.Load, Options: exp.Options[pipeline],
	}
}

func (f *Fleet) newMember(s protocol.Spec) *member {
	if program := f.programs[s.Pipeline]; program != nil && s.Role == protocol.RoleWorker {
		return newMember(program, s)
	}
	return newMember(own{f.spec.Command}, s)
}

// firstSequence is the first sequence that no incarnation intended: sequences stay dense over a source's restarts.
func firstSequence(dir string, earlier []harness.HistoryRecord) (uint64, error) {
	var first uint64
	for _, h := range earlier {
		if h.Role != protocol.RoleSource {
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
