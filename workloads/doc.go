// Package workloads is what a run puts under load: the registry of pipelines, one pipeline a file.
//
// A pipeline's file holds only what makes it that pipeline. Everything else is below: protocol is what the harness and a
// member's process say to each other, fleet the harness' side of it, member the inside of each process, and source,
// worker and service the three kinds of member. Package phase names the moments at which a fault can make a loop wait.
package workloads
