// Package jepsen writes a saved run as the operations of Jepsen's Kafka workload, one history for each row of the
// run's table, so that a checker that shares nothing with the verifiers can count anomalies of its own.
//
// The forms are those that jepsen.tests.kafka documents: operations :send, :poll and :txn of micro-operations
// [:send key [offset value]] and [:poll {key [[offset value] …]}], and :assign, :subscribe, :crash and
// :debug-topic-partitions (github.com/jepsen-io/jepsen, jepsen/src/jepsen/tests/kafka.clj, docstring of the namespace,
// sections "Operations" and "Topic-partition Mapping"). docs/JEPSEN.md says what is mapped to what, and what can't be
// shown.
package jepsen
