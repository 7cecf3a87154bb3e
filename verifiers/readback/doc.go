// Package readback reads everything a run left in its topics, once every source and worker is reaped, and saves what it
// found as observation files and an index. Every verdict rests on them.
//
// It fetches raw batches from each partition's current leader and walks them itself, because record polling can't prove
// that a log was read to its end when the tail is transaction markers, and because batch headers carry what checks need
// (producer ids, sequences, leader epochs). What a read_committed reader must get is derived from the control records, and
// then compared with what a real one does get.
package readback
