// Package verifiers judges saved runs: it reads a run's folder and says, of every pipeline, what it delivered.
//
// The way of one judgement: load (run record, histories, read-back index) → tally (the observation files are streamed,
// input first, every partition in parallel, into bitmaps and counters) → checks (one a file, pure functions from the
// evidence of one row to its numbers and findings) → verdicts (violated > inconclusive > held) → exit code. Nothing here
// reads a clock, logs, or reaches a network, so that the same folder gives the same report, byte for byte.
package verifiers
