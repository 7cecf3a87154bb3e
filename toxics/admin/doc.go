// Package admin holds the requests to brokers that faults send, and the questions that tell whether a change has arrived:
// settings, orders of replicas, elections, committed offsets.
//
// Requests go to brokers by number. The client's own choice may name a broker that is down, for example because of another
// fault.
package admin
