// Package toxics holds the faults: one a file, named after its registered name, and the selectors of what they hit.
//
// Network faults are driven through Toxiproxy's own client, with toxicity 1 and jitter 0; process faults through the
// cluster's and the fleet's operations. A fault finds its target when it is injected, says how to undo itself before it
// does anything, and proves by effect whom it hit.
package toxics
