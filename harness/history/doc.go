// Package history is what a run records and its on-disk form: intents, acknowledgements, transaction outcomes, offset
// commits, samples and live deliveries, one file for each incarnation of a process.
//
// A file is a header and frames. A frame is written with one write(2) call before the effect that it announces can be
// seen, so it survives the SIGKILL of its writer (the kernel has it). A frame that is cut short or fails its CRC ends the
// readable part of the file, and the reader reports how much was lost. Times are CLOCK_MONOTONIC nanoseconds, comparable
// between the processes of one machine.
package history
