// Package verifiers judges saved runs: it reads a run's folder and reports what every pipeline delivered.
//
// One judgement, room by room, each of which uses only those before it:
//
//   - saved: the run's record, its histories summed up, and the read-back's index
//   - logs: the observation files, streamed once, input first, all partitions at the same time
//   - rows: one pipeline, what was due in it, and what became of each input
//   - causes: why copies and losses are there, and what held a last stable offset back
//   - checks: one a file, fed while the logs are streamed, then finished on everything that is known (gather)
//   - verdicts: violated > inconclusive > held, and the exit code
//
// Nothing here reads a clock, logs, or reaches a network, so that the same folder gives the same report, byte for byte.
package verifiers
