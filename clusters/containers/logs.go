package containers

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/chaeos/chaeos/harness/wait"
)

// follower copies a container's log to a file, over restarts of the container. The engine returns the whole log each
// time: what was written already is skipped by its time.
type follower struct {
	engine *Engine
	id     string
	file   *os.File
	last   string // the time of the last line written
	done   chan struct{}
}

// follow copies the log of a container that was just started until it ends, or ctx does.
func (f *follower) follow(ctx context.Context) {
	f.done = make(chan struct{})
	go func() {
		defer close(f.done)
		answer, err := f.engine.ContainerLogs(ctx, f.id, client.ContainerLogsOptions{
			ShowStdout: true, ShowStderr: true, Follow: true, Timestamps: true, Since: f.last,
		})
		if err != nil {
			fmt.Fprintf(f.file, "the log can't be read: %v\n", err)
			return
		}
		defer answer.Close()
		read, write := io.Pipe()
		go func() {
			_, err := stdcopy.StdCopy(write, write, answer)
			write.CloseWithError(err)
		}()
		f.copy(read)
	}()
}

// copy writes lines without the times that the engine puts in front. RFC 3339 with nine digits sorts as text.
func (f *follower) copy(from io.Reader) {
	lines := bufio.NewReader(from)
	for before := f.last; ; {
		line, err := lines.ReadString('\n')
		if stamp, text, ok := strings.Cut(line, " "); ok && stamp > before {
			f.last = stamp
			_, _ = f.file.WriteString(text) // the run itself notices a full disk
		}
		if err != nil {
			return
		}
	}
}

// flushed waits a moment for the end of an ended container's log.
func (f *follower) flushed(within time.Duration) {
	if f == nil || f.done == nil {
		return
	}
	select {
	case <-f.done:
	case <-time.After(within):
	}
}

// lastLines returns the end of a container's log.
func (e *Engine) lastLines(ctx context.Context, id string, n int) []string {
	answer, err := e.ContainerLogs(ctx, id, client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Tail: fmt.Sprint(n)})
	if err != nil {
		return nil
	}
	defer answer.Close()
	var text bytes.Buffer
	_, _ = stdcopy.StdCopy(&text, &text, answer)
	if text.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSpace(text.String()), "\n")
}

// lastWords is the last line of a container's log that is not part of a stack trace.
func (e *Engine) lastWords(ctx context.Context, id string) string {
	lines := slices.DeleteFunc(e.lastLines(ctx, id, 100), func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "at ") })
	if len(lines) == 0 {
		return "it said nothing"
	}
	return lines[len(lines)-1]
}

// awaitLog waits until a container's log contains text, or the container ends.
func (e *Engine) awaitLog(ctx context.Context, id, text string) error {
	err := wait.Poll(ctx, 100*time.Millisecond, func() (bool, error) {
		answer, err := e.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
		if err != nil {
			return false, err
		}
		lines := strings.Join(e.lastLines(ctx, id, 50), "\n")
		if strings.Contains(lines, text) {
			return true, nil
		}
		if !answer.Container.State.Running {
			return false, fmt.Errorf("it ended with exit status %d", answer.Container.State.ExitCode)
		}
		return false, nil
	})
	if err != nil {
		return fmt.Errorf("%w; the end of its log:\n  %s", err, strings.Join(e.lastLines(context.WithoutCancel(ctx), id, tailLines), "\n  "))
	}
	return nil
}
