// Package saved says what a run's folder holds besides its logs: the run's record, the read-back's index, and what the
// histories of sources, workers and the observer say. Histories are scanned once, with entries that are reused, and summed up: no
// entry is kept for each record, commit or sample. What is asked by key later reads a history again (Run.EachEntry).
package saved
