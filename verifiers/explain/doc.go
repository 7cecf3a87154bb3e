// Package explain tells the life of one record from a run's folder alone: who made it, who had it in hand, where it is in
// the logs, and what happened meanwhile. It streams the histories and observations and keeps what concerns the record
// only. What the folder doesn't hold is said to be missing.
package explain
