package main

import "fmt"

// line is one line of the table: a metric of one benchmark, what it is, and its limit. A new one goes where its
// kind is; its benchmark may live in any package that the Makefile's bench runs.
type line struct {
	// bench is the benchmark's name without the processors' number, unit the metric's.
	bench, unit string
	what        string
	want        bound
}

// bound is the limit of a figure; the zero value is none.
type bound struct {
	kind  string
	value float64
}

func atLeast(v float64) bound { return bound{"at least", v} }
func atMost(v float64) bound  { return bound{"at most", v} }

func (b bound) String() string {
	if b.kind == "" {
		return ""
	}
	return b.kind + " " + number(b.value)
}

// met reports whether a figure keeps the bound.
func (b bound) met(v float64) bool {
	return b.kind == "" || b.kind == "at least" && v >= b.value || b.kind == "at most" && v <= b.value
}

var lines = []line{
	{"BenchmarkReady", "ratio", "cluster ready, against its three JVMs without proxies", atMost(1.2)},
	{"BenchmarkReady", "s/ready", "cluster ready, seconds", bound{}},
	{"BenchmarkContainersReady", "ratio", "containers ready, images present, against processes", atMost(1.5)},
	{"BenchmarkContainersReady", "s/containers", "containers ready, seconds", bound{}},
	{"BenchmarkContainersThroughput", "ratio", "a producer through the proxy container, against the keeper's proxies", bound{}},
	{"BenchmarkContainersThroughput", "MB/s-containers", "a producer through the proxy container, MB/s", bound{}},

	{"BenchmarkSource/100B", "ratio", "source 100 B, rate against a bare kgo producer through proxies of its own", atLeast(0.9)},
	{"BenchmarkSource/100B", "source-records/s", "source 100 B, records/s", bound{}},
	{"BenchmarkSource/1024B", "ratio", "source 1 KiB, rate against a bare kgo producer", atLeast(0.9)},
	{"BenchmarkSource/1024B", "source-records/s", "source 1 KiB, records/s", bound{}},

	{"BenchmarkReadBack/100B", "poll-records/s", "bare kgo poll loop 100 B, records/s", bound{}},
	{"BenchmarkReadBack/100B", "limit-records/s", "raw Fetch limit 100 B, records/s", bound{}},
	{"BenchmarkReadBack/100B", "records/s", "read-back 100 B with every check, records/s", bound{}},
	{"BenchmarkReadBack/100B", "ratio", "read-back 100 B, against the poll loop", atLeast(2)},
	{"BenchmarkReadBack/100B", "cpu-ratio", "read-back 100 B, the poll loop's processor time against ours", bound{}},
	{"BenchmarkReadBack/100B", "of-limit", "read-back 100 B, share of the limit", bound{}},
	{"BenchmarkReadBack/100B", "MiB-peak", "read-back 100 B, peak memory in MiB", atMost(64)},
	{"BenchmarkReadBack/1KiB", "poll-records/s", "bare kgo poll loop 1 KiB, records/s", bound{}},
	{"BenchmarkReadBack/1KiB", "limit-records/s", "raw Fetch limit 1 KiB, records/s", bound{}},
	{"BenchmarkReadBack/1KiB", "records/s", "read-back 1 KiB with every check, records/s", bound{}},
	{"BenchmarkReadBack/1KiB", "ratio", "read-back 1 KiB, against the poll loop", atLeast(1.5)},
	{"BenchmarkReadBack/1KiB", "cpu-ratio", "read-back 1 KiB, the poll loop's processor time against ours", bound{}},
	{"BenchmarkReadBack/1KiB", "of-limit", "read-back 1 KiB, share of the limit", bound{}},
	{"BenchmarkReadBack/zstd", "ratio", "read-back 100 B in zstd batches, against the poll loop", atLeast(1.2)},
	{"BenchmarkReadBack/zstd", "records/s", "read-back 100 B in zstd batches, records/s", bound{}},
	{"BenchmarkReadBack/zstd", "MiB-peak", "read-back 100 B in zstd batches, peak memory in MiB", atMost(64)},
	{"BenchmarkReadBack/snappy", "ratio", "read-back 100 B in snappy batches, against the poll loop", atLeast(1.2)},
	{"BenchmarkReadBack/snappy", "records/s", "read-back 100 B in snappy batches, records/s", bound{}},

	{"BenchmarkVerify", "records/s", "re-verify a saved run of 10 M records, records/s", atLeast(10_000_000)},
	{"BenchmarkVerify", "records/s-best", "the same, its fastest time", bound{}},
	{"BenchmarkVerify", "cpu-s", "the same, seconds of processors", bound{}},
	{"BenchmarkVerify", "MiB-1M", "peak memory at 1 M records, MiB", bound{}},
	{"BenchmarkVerify", "MiB-10M", "peak memory at 10 M records, MiB", atMost(64)},
	{"BenchmarkVerify", "MiB-growth", "growth from 1 M to 10 M, MiB", atMost(16)},

	{"BenchmarkPage", "s/page", "page of ten minutes with 5 M records (chaeos report --html), seconds", atMost(5)},
	{"BenchmarkPage", "ratio", "that page, processor time against chaeos verify of the same folder", bound{}},
	{"BenchmarkPage", "cpu-s", "that page, seconds of processors", bound{}},
	{"BenchmarkPage", "MiB-peak", "that page, peak memory in MiB", atMost(512)},
	{"BenchmarkPage", "MiB-page", "that page, its size in MiB", atMost(3)},

	{"BenchmarkToxics", "ratio", "Kafka-aware toxics armed and matching nothing, rate of 1 KiB records against proxies without them", atLeast(0.95)},
	{"BenchmarkArmed/another-API", "ratio", "the same at the proxy's limit, 64 KiB requests to a sink, rule for another API", bound{}},
	{"BenchmarkArmed/another-client", "ratio", "the same, rule for another client", bound{}},
	{"BenchmarkArmed/another-topic", "ratio", "the same, rule that looks into every request for a topic", bound{}},

	{"BenchmarkSampler", "%-of-a-core", "sampler at 12 partitions and 100 ms, % of one core", atMost(1)},
}

// number prints a figure with as many digits as mean something.
func number(v float64) string {
	switch {
	case v >= 100_000:
		return fmt.Sprintf("%.2f M", v/1e6)
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
