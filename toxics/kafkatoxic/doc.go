// Package kafkatoxic holds two toxics for Toxiproxy that understand Kafka's requests: they hold, delay, drop or cut on
// chosen ones, and count what they did.
//
// A proxy gets both when it is made, before anything connects (Prepare): on an existing connection they would start in the
// middle of a frame. They pass everything until a Rule is armed, and are driven only by updates of the toxic "kafka_req"
// through Toxiproxy's ordinary API: its attributes are a command (arm, release, disarm or forget a rule), and reading them gives
// the counters. Remote does that from another process.
//
// A toxic sees one direction of a connection and doesn't know which connection that is. The bridge is on the wire: where a
// response is to be recognised, the request side puts a mark into the top three bits of the request's correlation id, and a
// ticket's number below. The broker echoes the id, and the response side finds the ticket, gives the response its own id back,
// and does what the rule says. The ticket also has the response's API and version, so that its error codes can be recorded.
package kafkatoxic
