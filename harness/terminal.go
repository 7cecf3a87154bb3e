package harness

import "time"

// Terminal is where a run tells a person how it goes.
type Terminal interface {
	// Phase says that a phase begins, and the one before has ended.
	Phase(name, note string)
	// Note says that something happened that is worth a line.
	Note(text string)
	// Live is the state of the moment, done of a time. It is overwritten on a terminal, and rare otherwise.
	Live(text string, done, of time.Duration)
	// Close ends the last phase and leaves nothing half-drawn.
	Close()
}
