// Package txns compares what workers say of their transactions with what the logs hold, without keeping either.
//
// Both sides add up, for each block of transactions, what each transaction left in each partition (Sums). Blocks whose sums differ,
// or that hold a transaction whose end is not known, are suspect, and only those are read again, transaction by transaction
// (causes.LookIntoSuspects). So a clean run keeps one number for each 64 transactions.
package txns
