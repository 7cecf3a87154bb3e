// Package properties reads a Kafka client's settings off the client itself, in Kafka's own property names.
package properties
