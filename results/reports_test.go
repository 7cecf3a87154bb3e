package results_test

import (
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// loadStart is an arbitrary monotonic time: renderers must show times from it, never the raw clock.
const loadStart = history.Time(5_000_000_000_000)

func p[T any](v T) *T { return &v }

func s(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func base(experiment string, seed uint64) *harness.Report {
	return &harness.Report{
		Version: 1, Run: "20260920T101500-" + experiment + "-7", Experiment: experiment, Seed: seed,
		Started: time.Date(2026, 9, 20, 10, 15, 0, 0, time.UTC), Took: 91 * time.Second,
		Provider: "local", Kafka: "4.3.1", Chaeos: "v0.3.0 (go1.26.8 linux/amd64)", Brokers: 3, MinISR: 2, LoadStart: int64(loadStart),
		Features: []harness.Feature{
			{Name: "eligible.leader.replicas.version", Level: 1}, {Name: "metadata.version", Level: 28}, {Name: "transaction.version", Level: 2},
		},
	}
}

func verdict(g harness.Guarantee, v harness.Verdict, reasons ...string) harness.GuaranteeVerdict {
	return harness.GuaranteeVerdict{Guarantee: g, Verdict: v, Reasons: reasons}
}

func row(name string, claims harness.Guarantee, n harness.Numbers) harness.Row {
	return harness.Row{Pipeline: name, Claims: claims, Delivered: string(claims), Numbers: n,
		Verdicts: []harness.GuaranteeVerdict{verdict(claims, harness.Held)}}
}

// clean is a run in which nothing went wrong under a fault that bit everyone.
func clean() *harness.Report {
	r := base("latency", 7)
	r.Faults = []harness.FaultRecord{{
		Fault: "latency", Target: "leader of output/0", Options: "200ms", At: s(12), For: s(15),
		Injected: loadStart.Add(s(12.04)), Healed: loadStart.Add(s(27.11)),
		Resolved: harness.Resolved{Text: "client links of broker 1 (leads out-0)", Brokers: []int{1}},
		Proofs:   []harness.Proof{{Pipeline: "idempotent", TookEffect: true}, {Pipeline: "transactional", TookEffect: true}},
	}}
	r.Rows = []harness.Row{
		row("idempotent", harness.AtLeastOnce, harness.NumbersOf(
			"input", 30_000, "unique", 30_000, "lsoStalls", 0, "longestStall", time.Duration(0), "noProgress", 620*time.Millisecond,
			"recovery", s(0.7), "p99", 412*time.Millisecond)),
		row("transactional", harness.ExactlyOnce, harness.NumbersOf(
			"input", 30_000, "unique", 30_000, "torn", 0, "committedNotSeen", 0, "abortedSeen", 0, "lsoStalls", 0,
			"longestStall", time.Duration(0), "noProgress", s(1.1), "recovery", s(1.2), "p99", s(1.31))),
	}
	r.Why = "every claim came out as expected"
	return r
}

// violated is a run whose acks1 source lost what it had acknowledged, as the experiment says it must, and whose
// transactional pipeline surprised.
func violated() *harness.Report {
	r := base("leader-partition", 7)
	r.Faults = []harness.FaultRecord{
		{
			Fault: "partition", Target: "leader of output/0", Options: "replication+quorum, both ways", At: s(12), For: s(15),
			Injected: loadStart.Add(s(12)), Healed: loadStart.Add(s(27)), Reaction: "leader of output/0: 1 -> 2 after 9.1s",
			Resolved: harness.Resolved{Text: "broker 1 (leads out-0, not the controller)"},
			Proofs: []harness.Proof{{Pipeline: "acks1", TookEffect: true, Text: "2.5 kB cut on 1-2-replication and 7 more"},
				{Pipeline: "idempotent", TookEffect: true, Text: "2.5 kB cut on 1-2-replication and 7 more"},
				{Pipeline: "transactional", TookEffect: true, Text: "2.5 kB cut on 1-2-replication and 7 more"}},
		},
		{
			Fault: "worker-pause", Target: "worker of input/0", At: s(30), For: s(5),
			Injected: loadStart.Add(s(30.2)), Healed: loadStart.Add(s(35.2)), Resolved: harness.Resolved{Text: "idempotent-0, transactional-1"},
			Proofs: []harness.Proof{{Pipeline: "acks1", Text: "it has no workers"}, {Pipeline: "idempotent", TookEffect: true, Text: "idempotent-0 stopped for 5.0s"},
				{Pipeline: "transactional", TookEffect: true, Text: "transactional-1 stopped for 5.0s"}},
		},
	}
	acks := row("acks1", harness.AtLeastOnce, harness.NumbersOf(
		"input", 96_210, "unique", 95_873, "lost", 337, "lostBy", map[string]uint64{"truncated": 301, "acked but absent": 36},
		"noProgress", 120*time.Millisecond, "recovery", 140*time.Millisecond, "p99", 12*time.Millisecond, "neverLive", 337))
	acks.ProducerOnly, acks.Delivered, acks.Deviations = true, "violated", []string{"acks=1", "idempotence off"}
	acks.Verdicts = []harness.GuaranteeVerdict{{Guarantee: harness.AtLeastOnce, Verdict: harness.Violated, Expected: harness.MustBreak,
		Reasons: []string{"337 acknowledged records are not in the log", "first: source 1 sequence 48,211, acknowledged at out-0 offset 16,070"}}}
	idem := row("idempotent", harness.AtLeastOnce, harness.NumbersOf(
		"input", 96_204, "unique", 96_204, "duplicates", 1_204, "duplicatedInputs", 1_190, "duplicatesBy", map[string]uint64{"reprocessed": 1_200, "resend": 4},
		"reordered", 1_190, "noProgress", s(9.3), "recovery", s(9.41), "p99", s(9.6)))
	idem.Verdicts = append(idem.Verdicts, verdict(harness.ExactlyOnce, harness.Violated, "1,204 duplicates"))
	tx := row("transactional", harness.ExactlyOnce, harness.NumbersOf(
		"input", 96_207, "unique", 96_207, "unknown", 12, "unknownHappened", 5, "torn", 1, "committedNotSeen", 0, "abortedSeen", 0,
		"lsoStalls", 2, "longestStall", s(8.7), "totalStall", s(11), "noProgress", s(10.2), "recovery", s(10.4), "p99", s(10.9)))
	tx.Delivered = "violated"
	tx.Notes = []string{"the group rebalanced 3 times"}
	tx.Verdicts = []harness.GuaranteeVerdict{{Guarantee: harness.ExactlyOnce, Verdict: harness.Violated, Expected: harness.MustHold, Surprise: true,
		Reasons: []string{"1 transaction is torn: transactional-0, ordinal 412"}}}
	idem.Limits = []harness.LimitVerdict{
		{Limit: "no progress <= 10s", Number: "noProgress", Verdict: harness.Held, Expected: harness.MustHold},
		{Limit: "duplicates <= 1000", Number: "duplicates", Verdict: harness.Violated, Expected: harness.MustHold, Surprise: true},
		{Limit: "duplicates >= 5000", Number: "duplicates", Verdict: harness.Violated, Expected: harness.MayBreak},
		{Limit: "torn <= 0", Number: "torn", Expected: harness.MustHold, Reason: "the figure does not apply or was not observed"},
	}
	r.Rows = []harness.Row{acks, idem, tx}
	r.Stalls = twoStalls()
	r.Exit, r.Why = 3, "transactional violated exactly-once, which must hold"
	return r
}

func twoStalls() []harness.Stall {
	return []harness.Stall{
		{Pipeline: "transactional", Topic: "out-transactional", Partition: 1, LSO: 411, Start: int64(loadStart.Add(s(31))), Length: s(2.3), HeldBack: 1},
		{Pipeline: "transactional", Topic: "out-transactional", Partition: 0, LSO: 15_988, Start: int64(loadStart.Add(s(12.3))), Length: s(8.7),
			HeldBack: 1_733, TransactionalID: "transactional-0", ProducerID: 1001, State: "Ongoing", Fault: "partition"},
	}
}

// inconclusive is an interrupted run: hidden and unprocessed input, a fault that never came and one that was not healed.
func inconclusive() *harness.Report {
	r := base("lingering-txn", 18_446_744_073_709_551_615)
	r.Features = nil
	r.Took = s(59.96)
	r.Inconclusive = []string{"interrupted during load"}
	r.Faults = []harness.FaultRecord{
		{Fault: "worker-kill", Target: "worker of input/0", Options: "phase flushed", At: s(10), For: s(20), Injected: loadStart.Add(s(10.1)),
			Resolved: harness.Resolved{Text: "transactional-0"}, Error: "no worker reached the phase flushed"},
		{Fault: "broker-kill", Target: "controller", At: s(40), For: s(10)},
	}
	tx := row("transactional", harness.ExactlyOnce, harness.NumbersOf(
		"input", 1_000_000, "unique", 800_000, "unprocessed", 150_000, "hidden", 50_000, "torn", 0, "abortedSeen", 0, "committedNotSeen", 0,
		"lsoStalls", 7, "longestStall", s(21.04), "neverLive", 200_000))
	tx.Delivered = "inconclusive"
	tx.Verdicts = []harness.GuaranteeVerdict{{Guarantee: harness.ExactlyOnce, Expected: harness.MustHold,
		Reasons: []string{"150,000 inputs are unprocessed", "50,000 inputs are hidden behind the open transaction of transactional-0"}}}
	bare := row("auto-commit", harness.AtMostOnce, harness.Numbers{})
	bare.Delivered, bare.Verdicts = "inconclusive", []harness.GuaranteeVerdict{verdict(harness.AtMostOnce, harness.Inconclusive)}
	r.Rows = []harness.Row{tx, bare}
	for i := range 7 {
		r.Stalls = append(r.Stalls, harness.Stall{Pipeline: "transactional", Topic: "out-transactional", LSO: int64(i), Start: int64(loadStart.Add(s(float64(i)))),
			Length: s(float64(i) + 1.04), HeldBack: 3, ProducerID: 1001, Open: i == 6})
	}
	r.Exit, r.Why = 4, "the run was interrupted"
	return r
}

// noFaults is a baseline.
func noFaults() *harness.Report {
	r := base("baseline", 1)
	r.Took = 2*time.Hour + 4*time.Minute + 40*time.Second
	r.Rows = []harness.Row{row("auto-commit", harness.AtMostOnce, harness.NumbersOf(
		"input", 999, "unique", 999, "noProgress", 9400*time.Microsecond, "p99", 61*time.Second))}
	r.Why = "every claim came out as expected"
	return r
}
