package toxics

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/target"
)

// fakeFleet is one pipeline of two workers and a source, as states in memory.
type fakeFleet struct {
	steps   *stepper
	mu      sync.Mutex
	members map[string]*harness.Member
	held    uint64 // what a worker holds at each next phase it reaches: grows by 1
	never   map[string]bool
	fails   map[string]error
	calls   []string
	looks   atomic.Int64 // how often anybody looked at the members
}

func newFakeFleet(steps *stepper) *fakeFleet {
	worker := func(n int, partitions ...int32) *harness.Member {
		return &harness.Member{
			Name: fmt.Sprintf("p-%d", n), Role: "worker", Pipeline: "p", Number: n, State: harness.MemberRunning, Partitions: partitions,
		}
	}
	return &fakeFleet{steps: steps, never: map[string]bool{}, fails: map[string]error{}, members: map[string]*harness.Member{
		"p-0": worker(0, 0, 2), "p-1": worker(1, 1),
		"q-source": {Name: "q-source", Role: "source", Pipeline: "q", State: harness.MemberRunning},
	}}
}

func (f *fakeFleet) Members() []harness.Member {
	f.looks.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []harness.Member
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		out = append(out, *f.members[name])
	}
	return out
}

func (f *fakeFleet) Offered(string) uint64 { return 150 }

func (f *fakeFleet) do(ctx context.Context, op, name string, change func(*harness.Member)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f.steps.step()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, op+" "+name)
	if err := f.fails[op+" "+name]; err != nil {
		return err
	}
	m, ok := f.members[name]
	if !ok {
		return errors.New("no such member")
	}
	change(m)
	f.deal()
	return nil
}

// deal gives each of p's three partitions to a worker that is not dead, in turn: a frozen one keeps what it has.
func (f *fakeFleet) deal() {
	var living []*harness.Member
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		m := f.members[name]
		if m.Role != target.RoleWorker {
			continue
		}
		if m.Partitions = nil; m.State != harness.MemberDead {
			living = append(living, m)
		}
	}
	for p := range int32(3) {
		if len(living) > 0 {
			m := living[int(p)%len(living)]
			m.Partitions = append(m.Partitions, p)
		}
	}
}

func (f *fakeFleet) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

func (f *fakeFleet) Kill(ctx context.Context, name string) error {
	return f.do(ctx, "kill", name, func(m *harness.Member) { m.State, m.WaitingAt = harness.MemberDead, "" })
}
func (f *fakeFleet) Restart(ctx context.Context, name string) error {
	return f.do(ctx, "restart", name, func(m *harness.Member) { m.State = harness.MemberRunning; m.Incarnation++ })
}
func (f *fakeFleet) Pause(ctx context.Context, name string) error {
	return f.do(ctx, "pause", name, func(m *harness.Member) { m.State = harness.MemberPaused })
}
func (f *fakeFleet) Resume(ctx context.Context, name string) error {
	return f.do(ctx, "resume", name, func(m *harness.Member) { m.State = harness.MemberRunning })
}
func (f *fakeFleet) Release(ctx context.Context, name string) error {
	return f.do(ctx, "release", name, func(m *harness.Member) { m.WaitingAt = "" })
}
func (f *fakeFleet) Acked(string) uint64 { return 150 }

func (f *fakeFleet) ArmAfter(ctx context.Context, name, phase string, _ uint64) error {
	return f.Arm(ctx, name, phase)
}

func (f *fakeFleet) Arm(ctx context.Context, name, phase string) error {
	return f.do(ctx, "arm "+phase, name, func(m *harness.Member) {
		if f.held++; !f.never[name] {
			m.WaitingAt, m.Held = phase, f.held
		}
	})
}

func (f *fakeFleet) Await(ctx context.Context, name string) error {
	return wait.Poll(ctx, 5*time.Millisecond, func() (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.members[name].WaitingAt != "", nil
	})
}

// Stop lets a member end; a paused one hears it too.
func (f *fakeFleet) Stop(ctx context.Context, name string) error {
	return f.do(ctx, "stop", name, func(m *harness.Member) { m.State = harness.MemberDead })
}

// Rename is one of the steps that can't fail.
func (f *fakeFleet) Rename(name string) error {
	return f.do(context.Background(), "rename", name, func(*harness.Member) {})
}

// Add starts a worker of p.
func (f *fakeFleet) Add(ctx context.Context, pipeline string) (string, error) {
	f.mu.Lock()
	n := len(f.members)
	name := fmt.Sprintf("%s-%d", pipeline, n)
	f.members[name] = &harness.Member{Name: name, Role: "worker", Pipeline: pipeline, Number: n, State: harness.MemberDead}
	f.mu.Unlock()
	return name, f.do(ctx, "add", name, func(m *harness.Member) { m.State = harness.MemberRunning })
}
