// Package triggers holds what a scheduled fault can wait for besides a time: acknowledged records, a phase of a worker's loop,
// an open transaction, another fault. docs/SCHEDULES.md shows how each is written, docs/ADD-A-TRIGGER.md how to add one.
package triggers
