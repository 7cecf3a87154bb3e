// Package fleet is the harness' side of a run's members: it plans them, starts, kills, pauses and stops their processes,
// and keeps what they say of themselves.
//
// A member runs a Program. Ours is this executable itself (own.go), which speaks package protocol. A foreign program,
// in any language, is another implementation of Program: its Control watches the process from outside and says for it
// what it does not say itself.
package fleet
