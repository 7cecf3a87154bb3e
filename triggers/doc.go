// Package triggers holds what a scheduled fault can wait for beside a time: records acknowledged, a phase of a worker's
// loop, an open transaction, another fault. One trigger a file; docs/SCHEDULES.md shows how each is written.
package triggers
