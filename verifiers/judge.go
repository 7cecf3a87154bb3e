package verifiers

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// ReportVersion is the version of the report's form.
const ReportVersion = 1

// Judge reads a run's folder and says what every pipeline delivered. It returns an error only where there is nothing to
// judge: no run record, or files of another version. Everything else that is missing makes the verdicts inconclusive.
func Judge(dir string) (*harness.Report, error) { return JudgeKeeping(dir, harness.MaxAnomalies) }

// JudgeKeeping judges a run as Judge does, and keeps so many anomalies of a kind and pipeline: for who draws them.
func JudgeKeeping(dir string, most int) (*harness.Report, error) {
	r, err := load(dir)
	if err != nil {
		return nil, err
	}
	r.most = most
	in, err := tallyInput(r)
	if err != nil {
		return nil, err
	}
	report := newReport(r)
	layouts := r.record.Plan.Pipelines
	judged := make([]judgement, len(layouts))
	// Rows share only what nobody changes any more.
	err = parallel(len(layouts), func(i int) (err error) {
		judged[i], err = judgePipeline(r, in, layouts[i])
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
	found    []finding
	internal []string
	rereads  []harness.Reread
	passes   []harness.Pass
	stalls   []harness.Stall
	hanging  []harness.Hanging
}

func judgePipeline(r *run, in *inputLog, layout harness.PipelineLayout) (j judgement, err error) {
	e, err := gather(r, in, layout)
	if err != nil {
		return j, err
	}
	j.row, j.found, j.internal = judgeRow(e)
	j.found = append(j.found, inputAnomalies(e, j.found)...)
	j.rereads, j.passes, j.stalls, j.hanging = e.duplicates.rereads, e.losses.passes, e.stalls, e.open
	return j, nil
}

func newReport(r *run) *harness.Report {
	rec := r.record
	report := &harness.Report{
		Version: ReportVersion, Run: rec.Name, Experiment: rec.Experiment, Seed: rec.Seed, Started: rec.Started, Took: rec.Took,
		Provider: rec.Cluster.Provider, Kafka: rec.Cluster.Kafka, Chaeos: rec.Chaeos, Brokers: len(rec.Cluster.Nodes), MinISR: rec.Plan.MinISR,
		Controllers: rec.Cluster.Topology.Controllers, Racks: rec.Cluster.Topology.Racks, Properties: rec.Properties, Asked: rec.Asked,
		Features: rec.Features, Faults: rec.Faults, LoadStart: int64(rec.Zero()),
	}
	if !r.index.Finished {
		r.doubt("", "the read-back did not finish")
	}
	for _, f := range r.index.Failures {
		r.doubt("", "read-back: %s", f)
	}
	report.Inconclusive = slices.Clone(r.doubts)
	return report
}

// judgeRow runs every check on a row's evidence.
func judgeRow(e *evidence) (row harness.Row, found []finding, internal []string) {
	row = harness.Row{Pipeline: e.layout.Name, Claims: e.layout.Claims, ProducerOnly: e.layout.ProducerOnly, Deviations: e.layout.Deviations}
	for _, c := range checks {
		found = append(found, c.run(e, &row.Numbers)...)
	}
	row.Verdicts = verdicts(e.run, e.layout, found)
	for _, f := range found {
		switch {
		case f.internal:
			internal = append(internal, e.layout.Name+": "+f.text)
		case !f.doubt && !decides(f, row.Verdicts):
			row.Notes = append(row.Notes, f.text)
		}
	}
	row.Delivered = delivered(row)
	return row, found, internal
}

// anomaliesOf lists a row's anomalies, so many of a kind at most.
func anomaliesOf(pipeline string, found []finding, most int) []harness.Anomaly {
	var all []harness.Anomaly
	count := map[harness.AnomalyKind]int{}
	for _, f := range found {
		for _, a := range f.anomalies {
			if count[a.Kind]++; count[a.Kind] <= most {
				a.Pipeline = pipeline
				all = append(all, a)
			}
		}
	}
	return all
}

// decides says that a finding breaks a guarantee that the row has a verdict on; one that doesn't is a note.
func decides(f finding, verdicts []harness.GuaranteeVerdict) bool {
	return slices.ContainsFunc(verdicts, func(v harness.GuaranteeVerdict) bool { return slices.Contains(f.breaks, v.Guarantee) })
}
