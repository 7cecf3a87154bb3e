package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/parallel"
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
	r, err := saved.Load(dir, pieces)
	if err != nil {
		return nil, err
	}
	in, err := logs.ReadInput(r)
	if err != nil {
		return nil, err
	}
	keep := rows.Keep{Most: most}
	missing := causes.NewInputLosses(r, in, keep)
	report := newReport(r)
	layouts := r.Record.Plan.Pipelines
	judged := make([]judgement, len(layouts))
	// Rows share only what nobody changes any more.
	err = parallel.Do(len(layouts), func(i int) (err error) {
		judged[i], err = judgePipeline(r, in, layouts[i], keep, missing)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, j := range judged {
		report.Anomalies = append(report.Anomalies, anomaliesOf(layouts[i].Name, j.found, most)...)
		for _, x := range j.rereads {
			report.Rereads = append(report.Rereads, harness.PipelineReread{Pipeline: layouts[i].Name, Reread: x})
		}
		for _, x := range j.passes {
			report.Passes = append(report.Passes, harness.PipelinePass{Pipeline: layouts[i].Name, Pass: x})
		}
		report.Rows = append(report.Rows, j.row)
		report.Stalls = append(report.Stalls, j.stalls...)
		report.Hanging = append(report.Hanging, j.hanging...)
		report.Inconclusive = append(report.Inconclusive, j.internal...)
	}
	report.Exit, report.Why = exit(report)
	return report, nil
}

// judgement is what is left of a row once its evidence is let go.
type judgement struct {
	row      harness.Row
	found    []checks.Finding
	internal []string
	rereads  []harness.Reread
	passes   []harness.Pass
	stalls   []harness.Stall
	hanging  []harness.Hanging
}

func judgePipeline(r *saved.Run, in *logs.Input, layout harness.PipelineLayout, keep rows.Keep, missing *causes.InputLosses) (j judgement, err error) {
	e, err := checks.Gather(r, in, layout, keep, missing)
	if err != nil {
		return j, err
	}
	j.row, j.found, j.internal = judgeRow(e)
	j.found = append(j.found, checks.InputAnomalies(e, j.found)...)
	j.rereads, j.passes, j.stalls, j.hanging = e.Duplicates.Rereads, e.Losses.Overtaking, e.Stalls, e.Open
	return j, nil
}

func newReport(r *saved.Run) *harness.Report {
	rec := r.Record
	report := &harness.Report{
		Version: ReportVersion, Run: rec.Name, Experiment: rec.Experiment, Seed: rec.Seed, Started: rec.Started, Took: rec.Took,
		Provider: rec.Cluster.Provider, Kafka: rec.Cluster.Kafka, Chaeos: rec.Chaeos, Brokers: len(rec.Cluster.Nodes), MinISR: rec.Plan.MinISR,
		Controllers: rec.Cluster.Topology.Controllers, Racks: rec.Cluster.Topology.Racks, Properties: rec.Properties, Asked: rec.Asked,
		Features: rec.Features, Faults: rec.Faults, LoadStart: int64(rec.LoadStart),
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

// judgeRow runs every check on a row's evidence.
func judgeRow(e *checks.Facts) (row harness.Row, found []checks.Finding, internal []string) {
	row = harness.Row{Pipeline: e.Layout.Name, Claims: e.Layout.Claims, ProducerOnly: e.Layout.ProducerOnly, Deviations: e.Layout.Deviations}
	for _, c := range checks.All {
		found = append(found, c.Run(e, &row.Numbers)...)
	}
	row.Verdicts = verdicts(e.Run, e.Layout, found)
	for _, f := range found {
		switch {
		case f.Internal:
			internal = append(internal, e.Layout.Name+": "+f.Text)
		case !f.Doubt && !decides(f, row.Verdicts):
			row.Notes = append(row.Notes, f.Text)
		}
	}
	row.Delivered = delivered(row)
	return row, found, internal
}

// anomaliesOf lists a row's anomalies, so many of a kind at most.
func anomaliesOf(pipeline string, found []checks.Finding, most int) []harness.Anomaly {
	var all []harness.Anomaly
	count := map[harness.AnomalyKind]int{}
	for _, f := range found {
		for _, a := range f.Anomalies {
			if count[a.Kind]++; count[a.Kind] <= most {
				a.Pipeline = pipeline
				all = append(all, a)
			}
		}
	}
	return all
}

// decides says that a finding breaks a guarantee that the row has a verdict on; one that doesn't is a note.
func decides(f checks.Finding, verdicts []harness.GuaranteeVerdict) bool {
	return slices.ContainsFunc(verdicts, func(v harness.GuaranteeVerdict) bool { return slices.Contains(f.Breaks, v.Guarantee) })
}
