// Package protocol is what the fleet and its members' processes say to each other. A member reads JSON lines from its
// standard input: its specification, then commands. It writes events, also one a line, to its standard output. When its
// input ends, the harness is gone, and the member ends too.
package protocol
