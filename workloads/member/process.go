package workloads

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/wait"
)

// progressEvery is how often a process tells how far it is.
const progressEvery = 100 * time.Millisecond

var (
	errOrphaned  = errors.New("the harness is gone: end of file on standard input")
	errOutOfTime = errors.New("out of time to end in order")
)

// process is a running source or worker behind its control channel.
type process struct {
	spec     spec
	pipeline Pipeline
	hist     *history.Writer
	tell     *teller
	gates    *gates
	// fed is closed by feed.
	fed  chan struct{}
	feed func()
	// stopping is done when the process must end in order; end fails whatever still runs.
	stopping context.Context //nolint:containedctx // it is the process's own state, set by a command
	stop     context.CancelFunc
	end      context.CancelCauseFunc
	// address is where the service listens.
	address string
}

// RunProcess is a source's or worker's whole life: the hidden subcommand calls it with its standard input and output.
// The first line of in says what to be, the lines after it are commands; events go to out. It returns nil when it ended
// in order, and an error at once when in ends: then nobody is left who could say what to do.
func RunProcess(ctx context.Context, in io.Reader, out io.Writer) error {
	commands := json.NewDecoder(in)
	p := &process{tell: newTeller(out), gates: &gates{}, fed: make(chan struct{})}
	p.feed = sync.OnceFunc(func() { close(p.fed) })
	if err := commands.Decode(&p.spec); err != nil {
		return fmt.Errorf("process specification: %w", err)
	}
	err := p.live(ctx, commands)
	if err != nil {
		p.tell.tell(event{Event: evError, Error: err.Error()})
		return fmt.Errorf("%s: %w", p.spec.id(), err)
	}
	p.tell.tell(event{Event: evDone})
	return nil
}

func (p *process) live(ctx context.Context, commands *json.Decoder) error {
	ctx, p.end = context.WithCancelCause(ctx)
	defer p.end(nil)
	p.stopping, p.stop = context.WithCancel(ctx)
	run, err := p.prepare()
	if err != nil {
		return err
	}
	orphaned, ended := make(chan error, 1), make(chan error, 1)
	go func() { orphaned <- p.listen(commands) }()
	go func() { ended <- run(ctx) }()
	p.tell.tell(event{Event: evReady, Address: p.address})
	select {
	case err := <-ended:
		return errors.Join(err, p.hist.Close())
	case err := <-orphaned:
		return err
	}
}

// prepare opens the history and builds what the process is.
func (p *process) prepare() (run func(context.Context) error, err error) {
	s := p.spec
	if s.Pipeline != "" {
		if p.pipeline, err = Lookup(s.Pipeline); err != nil {
			return nil, err
		}
	}
	p.hist, err = history.Create(s.History, history.Process{
		At: history.Now(), Run: s.Run, Name: s.Name, Role: s.Role, Pipeline: s.Pipeline,
		Number: s.Number, Incarnation: s.Incarnation, Pid: int64(os.Getpid()),
	})
	if err != nil {
		return nil, err
	}
	p.gates.at = p.waiting
	switch s.Role {
	case roleSource:
		return p.source()
	case roleService:
		p.pipeline = serviceInfo()
		v, err := openService(p.stopping, s, p.gates)
		if err != nil {
			return nil, err
		}
		p.address = v.listener.Addr().String()
		return p.telling(v.counters, v.run), nil
	}
	w := &worker{spec: s, hist: p.hist, tell: p.tell, gates: p.gates, stopping: p.stopping}
	return p.telling(w.counters, func(ctx context.Context) error { return p.pipeline.work(ctx, w) }), nil
}

func (p *process) source() (func(context.Context) error, error) {
	open := p.pipeline.open
	if open == nil {
		open = func(stopping context.Context, s spec, hist *history.Writer, pipeline Pipeline, g *gates) (sender, error) {
			return openSource(stopping, s, hist, pipeline, g)
		}
	}
	src, err := open(p.stopping, p.spec, p.hist, p.pipeline, p.gates)
	if err != nil {
		return nil, err
	}
	return p.telling(src.counters, func(ctx context.Context) error {
		select {
		case <-p.fed:
		case <-p.stopping.Done():
		}
		return src.run(ctx)
	}), nil
}

// telling wraps run so that its progress is told while it runs, and once more at its end.
func (p *process) telling(now func() counters, run func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		telling, stop := context.WithCancel(ctx)
		defer func() { p.tell.tell(event{Event: evProgress, counters: now()}) }()
		defer stop()
		go p.tellProgress(telling, now)
		return run(ctx)
	}
}

func (p *process) tellProgress(ctx context.Context, now func() counters) {
	var told counters
	_ = wait.Poll(ctx, progressEvery, func() (bool, error) { // it ends with its context only
		if c := now(); c != told {
			p.tell.tell(event{Event: evProgress, counters: c})
			told = c
		}
		return false, nil
	})
}

// waiting records and tells that the worker reached the armed phase.
func (p *process) waiting(phase history.Phase) error {
	if err := p.hist.Write(&phase); err != nil {
		return err
	}
	p.tell.tell(event{Event: evWaiting, Phase: phase.Name, Held: phase.Held})
	return nil
}

// listen obeys commands until there are no more, which means that the harness is gone.
func (p *process) listen(commands *json.Decoder) error {
	for {
		var c command
		if err := commands.Decode(&c); errors.Is(err, io.EOF) {
			return errOrphaned
		} else if err != nil {
			return fmt.Errorf("command: %w", err)
		}
		answer := event{Event: evObeyed, ID: c.ID}
		if err := p.obey(c); err != nil {
			answer.Error = err.Error()
		}
		p.tell.tell(answer)
	}
}

func (p *process) obey(c command) error {
	switch c.Do {
	case doFeed:
		p.feed()
	case doArm:
		return p.gates.arm(c.Phase, c.Passes, p.pipeline.Phases)
	case doRelease:
		p.gates.disarm()
	case doStop:
		p.stop()
		p.gates.disarm()
		time.AfterFunc(c.Within, func() { p.end(errOutOfTime) })
	default:
		return fmt.Errorf("unknown command %q", c.Do)
	}
	return nil
}
