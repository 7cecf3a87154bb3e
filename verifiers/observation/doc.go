// Package observation is the saved form of a read-back: one compact streamed file per topic-partition with every batch
// and record of the log, and an index with what the brokers said of each partition. Whatever is judged or explained
// later is judged from these files alone.
//
// A file is a header and frames: length (uint32), body, CRC-32C of both. The first frame says whose log it is, then comes
// one frame a batch, and an end frame with totals. Records are stored by column, each column as runs of a constant
// difference, so that the dense case costs a few bytes a batch and decodes in a few nanoseconds a record. A file that was
// cut is read up to its last whole frame, and the reader says what is missing.
package observation
