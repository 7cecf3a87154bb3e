// Package target is what a fault hits: how people write it, and which brokers, workers, partitions, groups and links that is
// when the fault is injected.
package target
