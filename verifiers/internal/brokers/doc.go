// Package brokers has connections to single brokers past the client library, for what is asked ten times a second (the LSO
// sampler) or answers whole logs (the read-back). All other questions are harness/ask's.
package brokers
