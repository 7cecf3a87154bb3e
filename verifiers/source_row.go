package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// sourceJudgement judges the shared source by the input log. Its row is in the report where its claims did not hold, and
// where the experiment expects something of it. The log is read again for it only where something is wrong: what the pass
// over the input finds on the way is enough to know that.
type sourceJudgement struct {
	subject *rows.Subject
	// watch are the checks that follow the input while it is read.
	watch    *kit.Set
	expected bool
}

// newSourceJudgement returns nil if no pipeline of the run reads what the shared source sent.
func newSourceJudgement(run *saved.Run, keep rows.Keep) *sourceJudgement {
	plan := run.Record.Plan
	reads := slices.ContainsFunc(plan.Pipelines, func(l harness.PipelineLayout) bool { return !l.ProducerOnly })
	if !reads || plan.Input == "" || run.Sources[harness.SharedSource] == nil {
		return nil
	}
	s := rows.NewSubject(run, plan.SourceLayout(), keep)
	return &sourceJudgement{s, kit.Begin(s, checks.OfInput()), len(run.Record.Expect[harness.SourceRow])+len(run.Record.Limits[harness.SourceRow]) > 0}
}

// watching adds the readers of the watching checks to those of the rows.
func (j *sourceJudgement) watching(others logs.Readers) logs.Readers {
	if j == nil {
		return others
	}
	return func(p *logs.Partition) []logs.Reader { return append(others(p), j.watch.Input(p)...) }
}

// judge returns nil if there is nothing to tell.
func (j *sourceJudgement) judge(in *logs.Input, missing *causes.InputLosses) (*judgement, error) {
	if j == nil {
		return nil, nil
	}
	sound, err := j.sound(in, missing)
	if err != nil || sound && !j.expected {
		return nil, err
	}
	row := &judgement{subject: j.subject, set: kit.Begin(j.subject, checks.OfSource())}
	if err := judgeAll(j.subject.Run, []*judgement{row}, in, missing); err != nil {
		return nil, err
	}
	if !j.expected && allHeld(row.row) {
		return nil, nil
	}
	return row, nil
}

func allHeld(row harness.Row) bool {
	return !slices.ContainsFunc(row.Verdicts, func(v harness.GuaranteeVerdict) bool {
		return v.Expected == harness.MustHold && v.Verdict != harness.Held
	})
}

// replicasAgree reports whether every replica of a log that was compared holds the same.
func replicasAgree(p *logs.Partition) bool {
	return !slices.ContainsFunc(p.Info.Replicas, func(r observation.Replica) bool { return !r.Agrees(p.Info.LogStart, p.Info.HW) })
}

// sound reports whether the input log is whole and holds everything that was acknowledged, once and in order, and nothing
// that was not sent.
func (j *sourceJudgement) sound(in *logs.Input, missing *causes.InputLosses) (bool, error) {
	source := j.subject.Source
	lost, err := missing.OfSource(harness.SharedSource, source)
	if err != nil {
		return false, err
	}
	held := in.Held[harness.SharedSource]
	if held == nil {
		held = keyset.New()
	}
	if lost.Missing.Len() > 0 || in.Twice > 0 || source.Overflow() || held.Minus(source.Intended).Len() > 0 {
		return false, nil
	}
	for _, p := range in.Parts {
		deleted := causes.DeletionOf(j.subject.Run, p)
		if !p.Whole || len(p.Doubts) > 0 || p.Missing > 0 || p.EpochsBack.Batches > 0 || !replicasAgree(p) || deleted != nil && deleted.Fault == "" {
			return false, nil
		}
	}
	// Of all facts, the checks that follow the input ask for the row and its input alone.
	facts := &kit.Facts{Row: &rows.Row{Subject: j.subject, In: in}}
	return !slices.ContainsFunc(j.watch.Finish(facts), func(o kit.Outcome) bool { return len(o.Found) > 0 }), nil
}
