package main

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads"
)

// pipelinesBench is the benchmark that has one sub-benchmark a pipeline; its figures are a table of their own.
const pipelinesBench = "BenchmarkPipelines/"

// pipelineRow is one pipeline's guarantee and what it costs.
type pipelineRow struct{ name, claims, rate, against, p50, p99 string }

var pipelineHeader = []string{"pipeline", "claims", "records/s", "against the least careful", "p50 ms", "p99 ms"}

func (r pipelineRow) cells() []string {
	return []string{r.name, r.claims, r.rate, r.against, r.p50, r.p99}
}

// pipelineRows lists every pipeline that was measured in the order of their names: those that consume and produce, then the
// producers.
func pipelineRows(m measured) []pipelineRow {
	var rows, producers []pipelineRow
	for _, info := range workloads.Infos() {
		figures, ok := m.figures[pipelinesBench+info.Name]
		if !ok {
			continue
		}
		r := pipelineRow{name: info.Name, claims: claimOf(info)}
		cell := func(unit string) string {
			if v, ok := figures[unit]; ok {
				return number(v)
			}
			return "–"
		}
		r.rate, r.against, r.p50, r.p99 = cell("records/s"), cell("ratio"), cell("ms-p50"), cell("ms-p99")
		if info.ProducerOnly {
			producers = append(producers, r)
		} else {
			rows = append(rows, r)
		}
	}
	return append(rows, producers...)
}

func claimOf(info harness.PipelineInfo) string {
	if info.ProducerOnly {
		return fmt.Sprintf("%s (producer)", info.Claims)
	}
	return string(info.Claims)
}

// pipelinesText introduces the table on the page.
const pipelinesText = "\n## What a guarantee costs\n\n" +
	"Each pipeline ran alone, without faults, with one worker that does no work on a record, and records of 100 bytes.\n" +
	"Throughput is what a `read_committed` reader gets while 200,000 records wait (800,000 for producers), also against\n" +
	"`auto-commit` (for producers against `acks1`). Latency is from when a record was due, at 500 records/s. Pipelines that\n" +
	"notify end at the external service, which stores each side effect in SQLite before it answers: their figures include its calls.\n\n"

func pipelinesPage(rows []pipelineRow) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(pipelinesText)
	fmt.Fprintf(&b, "| %s |\n|---|---|---:|---:|---:|---:|\n", strings.Join(pipelineHeader, " | "))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
	}
	return b.String()
}
