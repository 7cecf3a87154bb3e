// Package causes says why things are as they are in a row: which transactions did not end as their workers learnt (suspects),
// where copies beyond the first come from (copies, rereads, redeliveries), why inputs are lost (losses, cuts, overtaking commits),
// and what held a last stable offset back (stalls, hanging).
//
// One lost record, step by step: losses.go has the causes and the sentence, losses_pipeline.go or losses_source.go finds which one
// it is, cuts.go what was truncated or deleted, and overtaking.go which commit passed it.
package causes
