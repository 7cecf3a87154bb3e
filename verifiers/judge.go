package verifiers

import (
	"runtime"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// ReportVersion is the version of the report's form.
const ReportVersion = 1

// Judge reads a run's folder and says what every pipeline delivered. It returns an error only where there is nothing to
// judge: no run record, or files of another version. Everything else that is missing makes the verdicts inconclusive.
func Judge(dir string) (*harness.Report, error) { return JudgeKeeping(dir, harness.MaxAnomalies) }

// JudgeKeeping judges a run as Judge does, and keeps up to most anomalies per kind and pipeline, for the timeline page.
func JudgeKeeping(dir string, most int) (*harness.Report, error) {
	return judge(dir, most, saved.DefaultPieces())
}

func judge(dir string, most int, pieces saved.Pieces) (*harness.Report, error) {
	run, err := saved.Load(dir, pieces)
	if err != nil {
		return nil, err
	}
	keep := rows.Keep{Most: most}
	var all []*judgement
	for _, layout := range run.Record.Plan.Pipelines {
		s := rows.NewSubject(run, layout, keep)
		all = append(all, &judgement{subject: s, set: kit.Begin(s, checks.All())})
	}
	source := newSourceJudgement(run, keep)
	in, err := logs.ReadInput(run, source.watching(inputReaders(all)))
	if err != nil {
		return nil, err
	}
	report := newReport(run)
	missing := causes.NewInputLosses(run, in, keep)
	if err := judgeAll(run, all, in, missing); err != nil {
		return nil, err
	}
	if row, err := source.judge(in, missing); err != nil {
		return nil, err
	} else if row != nil {
		all = append(all, row)
	}
	for _, j := range all {
		j.addTo(report, most)
	}
	report.Exit, report.Why = exit(report)
	return report, nil
}

// judgeAll judges rows. They share only what does not change any more, and the polls of the live reader, which are read once.
func judgeAll(run *saved.Run, all []*judgement, in *logs.Input, missing *causes.InputLosses) error {
	err := together.AtMost(runtime.GOMAXPROCS(0), len(all), func(i int) (err error) {
		all[i].facts, err = readOutput(all[i].subject, in, all[i].set)
		return err
	})
	if err != nil {
		return err
	}
	var polls []pollsOf
	for _, j := range all {
		polls = append(polls, pollsOf{j.facts, j.set})
	}
	if err := readPolls(run, polls...); err != nil {
		return err
	}
	return together.AtMost(runtime.GOMAXPROCS(0), len(all), func(i int) error { return all[i].judge(missing) })
}

// inputReaders are those of all rows that read the input log.
func inputReaders(all []*judgement) logs.Readers {
	return func(p *logs.Partition) (readers []logs.Reader) {
		for _, j := range all {
			if !j.subject.SourceUnderTest() {
				readers = append(readers, j.set.Input(p)...)
			}
		}
		return readers
	}
}

// judgement is one row's, and what is left of the row once its facts are let go.
type judgement struct {
	subject *rows.Subject
	set     *kit.Set
	// facts is what was read of the row, until it is judged.
	facts *rows.Row

	row        harness.Row
	internal   []string
	anomalies  []harness.Anomaly
	rereads    []harness.Reread
	overtaking []harness.OvertakingCommit
	stalls     []harness.Stall
	hanging    []harness.Hanging
}

// judge gathers the rest of a row's facts, runs every check on them, and lets them go.
func (j *judgement) judge(missing *causes.InputLosses) error {
	f, err := gather(j.facts, missing, j.set)
	if err != nil {
		return err
	}
	j.facts = nil
	layout := j.subject.Layout
	j.row = harness.Row{Pipeline: layout.Name, Claims: layout.Claims, ProducerOnly: layout.ProducerOnly, Deviations: layout.Deviations}
	outcomes := j.set.Finish(f)
	var found []kit.Finding
	for _, o := range outcomes {
		j.row.Numbers.Add(o.Numbers)
		found = append(found, o.Found...)
	}
	j.row.Verdicts = verdicts(f.Run, layout, outcomes)
	j.row.Limits = limits(f.Run.Record.Limits[layout.Name], j.row.Numbers, outcomes, slices.Concat(f.Run.Doubts, f.Run.DoubtsOf[layout.Name]))
	for _, x := range found {
		switch {
		case x.Internal:
			j.internal = append(j.internal, layout.Name+": "+x.Text)
		case !x.Doubt && !decides(x, j.row.Verdicts):
			j.row.Notes = append(j.row.Notes, x.Text)
		}
		j.anomalies = append(j.anomalies, x.Anomalies...)
	}
	j.row.Delivered = delivered(j.row)
	j.anomalies = append(j.anomalies, checks.Examples(f, found)...)
	j.rereads, j.overtaking, j.stalls, j.hanging = f.Copies.Rereads, f.Losses.Overtaking, f.Stalls, f.Open
	return nil
}

// addTo adds the row to the report, with up to most anomalies of a kind.
func (j *judgement) addTo(report *harness.Report, most int) {
	name := j.row.Pipeline
	count := map[harness.AnomalyKind]int{}
	for _, a := range j.anomalies {
		if count[a.Kind]++; count[a.Kind] <= most {
			a.Pipeline = name
			report.Anomalies = append(report.Anomalies, a)
		}
	}
	for _, x := range j.rereads {
		report.Rereads = append(report.Rereads, harness.PipelineReread{Pipeline: name, Reread: x})
	}
	for _, x := range j.overtaking {
		report.OvertakingCommits = append(report.OvertakingCommits, harness.PipelineOvertakingCommit{Pipeline: name, OvertakingCommit: x})
	}
	report.Rows = append(report.Rows, j.row)
	report.Stalls = append(report.Stalls, j.stalls...)
	report.Hanging = append(report.Hanging, j.hanging...)
	report.Inconclusive = append(report.Inconclusive, j.internal...)
}

func newReport(r *saved.Run) *harness.Report {
	rec := r.Record
	report := &harness.Report{
		Version: ReportVersion, Run: rec.Name, Experiment: rec.Experiment, Seed: rec.Seed, Started: rec.Started, Took: rec.Took,
		Provider: rec.Cluster.Provider, Kafka: rec.Cluster.Kafka, Chaeos: rec.Chaeos, Brokers: len(rec.Cluster.Nodes), MinISR: rec.Plan.MinISR,
		Controllers: rec.Cluster.Topology.Controllers, Racks: rec.Cluster.Topology.Racks, Properties: rec.Properties, Asked: rec.Asked,
		Features: rec.Features, Faults: rec.Faults, LoadStart: int64(rec.Zero()),
	}
	if !r.Index.Finished {
		r.Doubt("", "the read-back did not finish")
	}
	for _, f := range r.Index.Failures {
		r.Doubt("", "read-back: %s", f)
	}
	report.Inconclusive = slices.Clone(r.Doubts)
	return report
}

// decides reports whether a finding breaks a guarantee that the row has a verdict on; one that doesn't is a note.
func decides(f kit.Finding, verdicts []harness.GuaranteeVerdict) bool {
	return slices.ContainsFunc(verdicts, func(v harness.GuaranteeVerdict) bool { return slices.Contains(f.Breaks, v.Guarantee) })
}
