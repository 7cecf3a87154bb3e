package harness

import "time"

// Terminal is where a run shows a person how it goes.
type Terminal interface {
	// Phase is called when a phase begins: the one before has ended.
	Phase(name, note string)
	// Note is a line about something that happened.
	Note(text string)
	// Live is the current state, and how much of a time has passed. It is overwritten on a terminal, and rare elsewhere.
	Live(text string, done, of time.Duration)
	// Close ends the last phase and leaves nothing half-drawn.
	Close()
}
