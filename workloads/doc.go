// Package workloads is what a run puts under load: the catalogue of pipelines, the source and worker processes that run
// them, and the fleet that starts, kills, pauses and steers those processes.
//
// A pipeline's file holds only what makes it that pipeline. Everything else is written once: client options
// (options.go), the one recording client through which every poll, produce, commit and transaction goes (client.go and
// its neighbours), the named phases (gates.go) and the process with its control channel (process.go, protocol.go).
package workloads
