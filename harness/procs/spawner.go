package procs

import (
	"os/exec"
	"runtime"
	"sync"
)

type request struct {
	cmd  *exec.Cmd
	done chan error
}

var (
	requests     = make(chan request)
	startSpawner = sync.OnceFunc(func() { go spawner() })
)

// spawn starts cmd on the spawner's thread.
func spawn(cmd *exec.Cmd) error {
	startSpawner()
	r := request{cmd: cmd, done: make(chan error, 1)}
	requests <- r
	return <-r.done
}

// spawner starts every child. The parent-death signal follows the thread that forked, not the process: on a thread of
// Go's pool, children would be killed whenever the runtime retires it. So one goroutine locks its thread and never ends.
func spawner() {
	runtime.LockOSThread()
	for r := range requests {
		r.done <- r.cmd.Start()
	}
}
