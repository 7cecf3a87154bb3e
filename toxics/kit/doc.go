// Package kit has what faults of one family share: faults on links, on brokers' processes, on members' processes, on
// partitions, on empty groups, on settings and on single requests. A fault says what is special about it.
package kit
