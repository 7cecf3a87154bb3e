package fleet

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/procs"
	"github.com/chaeos/chaeos/workloads/protocol"
)

const partitions = 3

// stranger is a program that has never heard of the protocol: a shell script that is ready once it has printed a line, and
// ends at SIGTERM.
type stranger struct{ script string }

var _ Program = stranger{}

func (s stranger) Start(spec protocol.Spec, log *os.File) (*procs.Process, Control, error) {
	cmd := exec.Command("/bin/sh", "-c", s.script)
	cmd.Env = append(os.Environ(), "CHAEOS_GROUP="+spec.Group, "CHAEOS_INSTANCE="+spec.Name)
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer childOut.Close()
	cmd.Stdout, cmd.Stderr = childOut, log
	process, err := procs.Start(cmd)
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	c := &watched{process: process, out: out, events: make(chan protocol.Event, 10)}
	go c.waitForALine()
	return process, c, nil
}

// watched says for a stranger what it does not say itself.
type watched struct {
	process *procs.Process
	out     *os.File
	events  chan protocol.Event
}

func (c *watched) waitForALine() {
	if _, err := c.out.Read(make([]byte, 1)); err == nil {
		c.events <- protocol.Event{Event: protocol.Ready}
		c.events <- protocol.Event{Event: protocol.Assigned, Partitions: []int32{0, 1, 2}}
	}
}

func (c *watched) Hear() (protocol.Event, error) {
	select {
	case e := <-c.events:
		return e, nil
	case <-c.process.Done():
		return protocol.Event{}, io.EOF
	}
}

func (c *watched) Tell(command protocol.Command) error {
	answer := protocol.Event{Event: protocol.Obeyed, ID: command.ID}
	switch command.Do {
	case protocol.Stop:
		_ = c.process.Signal(syscall.SIGTERM)
	default:
		answer.Error = "means nothing for a foreign program"
	}
	c.events <- answer
	return nil
}

func (c *watched) Close() error { return c.out.Close() }

// polite runs until it is asked to end.
const polite = `echo "$CHAEOS_INSTANCE of $CHAEOS_GROUP" >&2; trap 'exit 0' TERM; echo up; while :; do sleep 0.02; done`

type noLinks struct{ harness.Cluster }

func (noLinks) Info() harness.ClusterInfo { return harness.ClusterInfo{} }

func (noLinks) ClientLinks(context.Context, string) (harness.Dials, error) { return nil, nil }

// strangers is a fleet of one worker that runs a script, and no source.
func strangers(t *testing.T, script string) *Fleet {
	t.Helper()
	const name = "billing"
	layout := harness.PipelineLayout{PipelineInfo: harness.PipelineInfo{Name: name}, Group: "group-" + name}
	f, err := New(harness.FleetSpec{
		Command: []string{"/bin/true"}, Dir: t.TempDir(), Cluster: noLinks{},
		Plan:       harness.TopicPlan{Partitions: partitions, Pipelines: []harness.PipelineLayout{layout}},
		Experiment: harness.Experiment{Workers: 1},
	}, map[string]Program{name: stranger{script}})
	require.NoError(t, err)
	f.members = f.members[:1] // without the shared source
	t.Cleanup(func() { require.NoError(t, f.Close(context.Background())) })
	return f
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// TestAForeignProgramIsAMember: it is started, paused, killed, restarted and stopped as our own are, and its output is
// kept.
func TestAForeignProgramIsAMember(t *testing.T) {
	const name = "billing-0"
	f, ctx := strangers(t, polite), within(t)
	require.NoError(t, f.Start(ctx))
	state := func() harness.Member { return f.Members()[0] }
	require.Equal(t, name, state().Name)
	require.Len(t, state().Partitions, partitions)
	require.NoError(t, f.Pause(ctx, name))
	require.Equal(t, harness.MemberPaused, state().State)
	require.NoError(t, f.Resume(ctx, name))
	require.EqualError(t, f.Arm(ctx, name, "flushed"), "arm billing-0: means nothing for a foreign program")
	require.NoError(t, f.Kill(ctx, name))
	require.Equal(t, harness.MemberDead, state().State)
	require.ErrorContains(t, f.Release(ctx, name), "it is dead")
	require.NoError(t, f.Restart(ctx, name))
	require.Equal(t, 2, state().Incarnation)
	log, err := os.ReadFile(filepath.Join(f.spec.Dir, "processes", "billing-0.2.log"))
	require.NoError(t, err)
	require.Equal(t, "billing-0 of group-billing\n", string(log))
	added, err := f.Add(ctx, "billing")
	require.NoError(t, err)
	require.Equal(t, "billing-1", added)
	require.NoError(t, f.Stop(ctx, added))
	require.NoError(t, f.StopWorkers(ctx))
	require.Empty(t, f.Incidents())
	require.Len(t, f.Histories(), 3)
}

// TestAStrangerThatEndsByItselfIsAnIncident: with the end of what it printed.
func TestAStrangerThatEndsByItselfIsAnIncident(t *testing.T) {
	f, ctx := strangers(t, `trap 'echo out of credit >&2; exit 3' TERM; echo up; while :; do sleep 0.02; done`), within(t)
	require.NoError(t, f.Start(ctx))
	require.NoError(t, syscall.Kill(f.Members()[0].Pid, syscall.SIGTERM))
	require.NoError(t, f.until(ctx, "an incident", func() (bool, error) { return len(f.incidents) > 0, nil }))
	require.Equal(t, []string{"billing-0 (incarnation 1) ended by itself: exit status 3; its log ends: out of credit"}, f.Incidents())
	require.ErrorIs(t, f.Kill(ctx, "billing-0"), os.ErrProcessDone)
}

// TestAMemberThatDoesNotEndIsKilled: a stop has a deadline.
func TestAMemberThatDoesNotEndIsKilled(t *testing.T) {
	f := strangers(t, `trap '' TERM; echo up; while :; do sleep 0.02; done`)
	require.NoError(t, f.Start(within(t)))
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, errors.New("enough"))
	defer cancel()
	require.NoError(t, f.Stop(ctx, "billing-0"))
	require.Len(t, f.Incidents(), 1)
	require.Contains(t, f.Incidents()[0], "did not end when asked to and was killed")
}
