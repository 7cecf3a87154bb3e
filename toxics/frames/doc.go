// Package frames reads Kafka's wire format from a stream of bytes that comes in chunks of any size: where requests and
// responses begin and end, what a request is about, and which error codes a response carries. It changes nothing, and
// keeps no more of a stream than the head of the frame it is in.
package frames
