package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// child is a keeper that this process started.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	events *json.Decoder
	ended  chan struct{}
}

var _ keeperHandle = (*child)(nil)

// launch starts a keeper in a session of its own, so that a Ctrl-C at the terminal reaches only this process: the keeper must
// outlive it to clean up.
func launch(command []string, p plan) (*child, error) {
	if len(command) == 0 {
		return nil, errors.New("no command to run a keeper with")
	}
	log, err := os.OpenFile(keeperLog(p), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// An own pipe: cmd.StdoutPipe's is closed by Wait, which could lose the keeper's last words.
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = write
	err = cmd.Start()
	write.Close()
	if err != nil {
		read.Close()
		return nil, fmt.Errorf("start the keeper: %w", err)
	}
	k := &child{cmd: cmd, stdin: stdin, events: json.NewDecoder(read), ended: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its events show how it ended
		close(k.ended)
	}()
	return k, json.NewEncoder(stdin).Encode(p)
}

func keeperLog(p plan) string { return filepath.Join(p.LogDir, "keeper.log") }

func (k *child) release() { _ = k.stdin.Close() }

func (k *child) kill() { _ = k.cmd.Process.Kill() }

func (k *child) wait(ctx context.Context) error {
	select {
	case <-k.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the keeper (process %d) has not ended: %w", k.cmd.Process.Pid, context.Cause(ctx))
	}
}

// started is the result of a keeper's events.
type started struct {
	dir string
	d   *description
	err error
}

// follow reads events until the keeper reports how its start went.
func (k *child) follow(progress func(string)) started {
	var s started
	for {
		var e event
		if err := k.events.Decode(&e); err != nil {
			s.err = fmt.Errorf("the keeper ended without a word: %w", err)
			return s
		}
		switch {
		case e.Dir != "":
			s.dir = e.Dir
		case e.Progress != "":
			progress(e.Progress)
		case e.Ready != nil:
			s.d = e.Ready
			return s
		case e.Failure != nil:
			s.err = e.Failure
			return s
		}
	}
}

// startKeeper launches a keeper and returns when its cluster is ready. On error nothing of it is left.
func startKeeper(ctx context.Context, command []string, p plan, progress func(string)) (*child, description, error) {
	k, err := launch(command, p)
	if k == nil {
		return nil, description{}, err
	}
	outcome := make(chan started, 1)
	go func() { outcome <- k.follow(progress) }()
	var s started
	select {
	case s = <-outcome:
	case <-ctx.Done():
		k.release() // the end of its input makes it clean up and report it
		s = lastWords(ctx, outcome)
		return nil, description{}, errors.Join(context.Cause(ctx), k.discard(ctx, s.dir))
	}
	if s.err != nil {
		return nil, description{}, errors.Join(k.explain(s.err, p), k.discard(ctx, s.dir))
	}
	return k, *s.d, nil
}

// lastWords waits a bounded time for a keeper that must end, although ctx is over.
func lastWords(ctx context.Context, outcome <-chan started) started {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	select {
	case s := <-outcome:
		return s
	case <-ctx.Done():
		return started{}
	}
}

// explain adds the end of the keeper's log to an error that the keeper did not send itself.
func (k *child) explain(err error, p plan) error {
	var start *StartError
	if errors.As(err, &start) {
		return err
	}
	return &StartError{Why: err.Error(), Log: keeperLog(p), Tail: tail(keeperLog(p), tailLines)}
}

// discard ends a failed keeper, by force if necessary.
func (k *child) discard(ctx context.Context, dir string) error {
	k.release()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	if k.wait(bounded) == nil && !exists(dir) {
		return nil
	}
	return finish(ctx, k, dir)
}
