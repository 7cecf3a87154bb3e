// Package worker is the consuming side of a pipeline: a worker, its recording Kafka client, and the loops that several
// pipelines share.
//
// A pipeline reaches Kafka only through Client: every poll, produce, commit, acknowledgement and end of a transaction is
// recorded there, before its effect can be seen. The loops (Polling, Transactor, ByHand, Pool) use nothing else.
package worker
