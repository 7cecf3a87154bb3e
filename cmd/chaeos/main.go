// Command chaeos tests Kafka's delivery promises under faults, on real clusters. This package is the only one that
// touches standard output, signals and the process's exit.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/chaeos/chaeos/cmd/chaeos/terminal"
	"github.com/mattn/go-isatty"
)

func main() {
	a := &app{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		live:    isatty.IsTerminal(os.Stderr.Fd()) && os.Getenv("TERM") != "dumb",
		display: terminal.DisplayOf(os.Stdout),
		getenv:  os.Getenv,
		notify:  notify,
		quit:    os.Exit,
		parts:   rooms(),
	}
	os.Exit(a.run(context.Background(), os.Args[1:]))
}

// notify starts to catch the signals that ask the command to end; stop gives them back to the system.
func notify() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 2) // the second signal must not be lost while the first is being served
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM)
	return c, func() { signal.Stop(c) }
}
