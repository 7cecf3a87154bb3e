// Package toxics holds the faults: one a file, named after its registered name. A toxic is Toxiproxy's word for damage to a
// network; faults on processes, settings and requests go under that name, too, because a schedule treats all of them alike.
//
// Faults on links are driven through Toxiproxy's own client, with toxicity 1 and jitter 0; faults on processes through the
// operations of the cluster and the fleet; faults on partitions and groups through requests to brokers. A fault finds its
// target when it is injected, notes how to undo each thing before it does it, and proves by measurement that it took effect.
//
// The rooms, each importing only those before it: admin sends requests to brokers; target is what a fault hits; inject is what
// an active fault is made of; kit has what faults of one family share.
package toxics
