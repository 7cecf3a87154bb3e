// Package logs says what the logs hold: which partitions were read to their ends, which inputs have a copy in a row's
// output, which of those copies readers see, and what workers and transactions left there.
//
// Each log is streamed once, all partitions at the same time, in pieces: neighbouring records that are alike. A clean batch is
// one piece, and checks are shown batches with their pieces (Reader), never single records. What is asked by key later takes
// another pass over the sections that can hold it (Partition.Each).
package logs
