package triggers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/options"
	"github.com/chaeos/chaeos/harness/wait"
)

func testScope() harness.Scope {
	return harness.Scope{
		Partitions: 3, Workers: 2, Labels: []string{"cut", "stop"},
		Pipelines: []harness.PipelineInfo{
			{Name: "acks1", ProducerOnly: true},
			{Name: "restarted", ProducerOnly: true, Phases: []string{"acked"}},
			{Name: "idempotent", Phases: []string{"polled", "flushed", "committed"}},
			{Name: "transactional", Transactional: true, Phases: []string{"flushed", "committing", "offsets-sent"}},
		},
	}
}

func newTrigger(t *testing.T, name string, settings map[string]any) harness.Trigger {
	t.Helper()
	trigger, err := New(name, settings, testScope())
	require.NoError(t, err)
	return trigger
}

func TestTheRegistryIsSorted(t *testing.T) {
	names := Names()
	require.True(t, slices.IsSorted(names))
	require.Equal(t, names, slices.Compact(slices.Clone(names)))
	for _, k := range All() {
		require.NotEmpty(t, k.About, k.Name)
		require.NotEmpty(t, k.Value, k.Name)
		require.NotEmpty(t, k.Sign, k.Name)
		require.True(t, slices.IsSortedFunc(k.Options, func(a, b options.Info) int { return slices.Compare([]byte(a.Name), []byte(b.Name)) }), k.Name)
	}
	_, err := New("soon", nil, testScope())
	require.ErrorContains(t, err, "one of "+strings.Join(names, ", "))
}

// written has at least one line for every trigger: its settings, by the text of what it waits for.
var written = map[string]map[string]any{
	"20 records acked":                        {"acked": uint64(20)},
	"20 records acked to the source of acks1": {"acked": 20, "of": "acks1"},
	"cut healed":                              {"healed": "cut"},
	"stop injected":                           {"injected": "stop"},
	"phase polled of idempotent, at the owner of input/0":                             {"phase": "polled"},
	"phase flushed (time 3) of idempotent and transactional, at the owner of input/1": {"phase": "flushed", "nth": 3, "partition": 1},
	"EndTxn (time 4) of transactional, at the owner of input/0":                       {"end-txn": int64(4)},
	"open transaction of transactional, at the owner of input/2":                      {"transaction-open": "transactional", "partition": 2},
}

// nameOf returns the trigger that settings are for.
func nameOf(t *testing.T, settings map[string]any) string {
	t.Helper()
	for _, name := range Names() {
		if _, ok := settings[name]; ok {
			return name
		}
	}
	require.Fail(t, "there is no such trigger", "%v", settings)
	return ""
}

func TestTriggersSayWhatTheyWaitFor(t *testing.T) {
	seen := map[string]bool{}
	for want, settings := range written {
		name := nameOf(t, settings)
		seen[name] = true
		require.Equal(t, want, newTrigger(t, name, settings).String())
	}
	require.ElementsMatch(t, Names(), slices.Collect(maps.Keys(seen)), "every trigger is written here")
}

// never are signs of faults that are neither injected nor healed.
type never struct{ harness.Signs }

func (never) Injected(ctx context.Context, _ string) error { return wait.Sleep(ctx, time.Hour) }
func (never) Healed(ctx context.Context, _ string) error   { return wait.Sleep(ctx, time.Hour) }

// TestNoWorkerWaitsAfterTheRelease: however far a trigger came, a run that is interrupted leaves no worker waiting.
func TestNoWorkerWaitsAfterTheRelease(t *testing.T) {
	for want, settings := range written {
		f := newFleet()
		f.members[1].Partitions, f.members[3].Partitions = []int32{0, 1, 2}, []int32{0, 1, 2}
		ctx, cancel := context.WithCancel(t.Context())
		armed, err := newTrigger(t, nameOf(t, settings), settings).Arm(ctx, &harness.Field{Fleet: f}, never{})
		require.NoError(t, err, want)
		cancel()
		_, _ = armed.Await(ctx) // it may have fired before
		require.NoError(t, armed.Release(context.WithoutCancel(ctx)), want)
		require.NoError(t, armed.Release(context.WithoutCancel(ctx)), "%s: there is nothing left to release", want)
		for _, m := range f.Members() {
			require.Empty(t, m.WaitingAt, "%s: %s still waits", want, m.Name)
		}
	}
}

// fakeFleet has two workers that reach an armed phase as soon as the test lets them.
type fakeFleet struct {
	harness.Fleet
	mu      sync.Mutex
	members []harness.Member
	acked   map[string]uint64
	calls   []string
	armErr  error
	stuck   bool
}

func newFleet() *fakeFleet {
	return &fakeFleet{acked: map[string]uint64{"": 100, "acks1": 40}, members: []harness.Member{
		{Name: "idempotent-0", Pipeline: "idempotent", State: harness.MemberDead, Partitions: []int32{0}},
		{Name: "idempotent-1", Pipeline: "idempotent", Number: 1, State: harness.MemberRunning, Partitions: []int32{0, 2}},
		{Name: "source-restarted", Role: "source", Pipeline: "restarted", State: harness.MemberRunning},
		{Name: "transactional-0", Pipeline: "transactional", State: harness.MemberRunning, Partitions: []int32{0, 1}},
	}}
}

func (f *fakeFleet) Members() []harness.Member {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.members)
}

func (f *fakeFleet) Acked(of string) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acked[of] += 5
	return f.acked[of]
}

func (f *fakeFleet) change(call, name string, to string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call+" "+name)
	for i := range f.members {
		if f.members[i].Name == name {
			f.members[i].WaitingAt = to
		}
	}
	return nil
}

func (f *fakeFleet) ArmAfter(_ context.Context, name, phase string, passes uint64) error {
	if f.armErr != nil && name == "transactional-0" {
		return f.armErr
	}
	if f.stuck {
		phase = ""
	}
	return f.change(fmt.Sprintf("arm %s after %d", phase, passes), name, phase)
}

func (f *fakeFleet) Release(_ context.Context, name string) error {
	return f.change("release", name, "")
}

func (f *fakeFleet) Await(ctx context.Context, name string) error {
	return wait.Poll(ctx, time.Millisecond, func() (bool, error) {
		return slices.ContainsFunc(f.Members(), func(m harness.Member) bool { return m.Name == name && m.WaitingAt != "" }), nil
	})
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// fire arms a trigger and waits for it.
func fire(t *testing.T, f *harness.Field, name string, settings map[string]any) (harness.Armed, string, error) {
	t.Helper()
	armed, err := newTrigger(t, name, settings).Arm(t.Context(), f, nil)
	if err != nil {
		return armed, "", err
	}
	saw, err := armed.Await(within(t, time.Minute))
	return armed, saw, err
}

func TestAckedCountsFromWhenItWasArmed(t *testing.T) {
	f := newFleet()
	_, saw, err := fire(t, &harness.Field{Fleet: f}, "acked", map[string]any{"acked": 20})
	require.NoError(t, err)
	require.Equal(t, "after 20 records acked", saw)
	_, _, err = fire(t, &harness.Field{Fleet: f}, "acked", map[string]any{"acked": 7, "of": "acks1"})
	require.NoError(t, err)

	armed, err := newTrigger(t, "acked", map[string]any{"acked": 1000_000}).Arm(t.Context(), &harness.Field{Fleet: f}, nil)
	require.NoError(t, err)
	_, err = armed.Await(within(t, 50*time.Millisecond))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "of 1000000 records are acked")
}

func TestAPhaseHoldsTheLivingOwnerOfEveryPipeline(t *testing.T) {
	f := newFleet()
	armed, saw, err := fire(t, &harness.Field{Fleet: f}, "phase", map[string]any{"phase": "flushed", "nth": 3})
	require.NoError(t, err)
	require.Equal(t, "idempotent-1 waits at flushed with 0 records held; transactional-0 waits at flushed with 0 records held", saw)
	f.members[3].State = harness.MemberDead
	require.NoError(t, armed.Release(t.Context()))
	require.Equal(t, []string{"arm flushed after 2 idempotent-1", "arm flushed after 2 transactional-0", "release idempotent-1"}, f.calls)
}

func TestAPhaseThatIsNeverReachedIsReleased(t *testing.T) {
	f := newFleet()
	f.stuck = true
	armed, err := newTrigger(t, "phase", map[string]any{"phase": "polled"}).Arm(t.Context(), &harness.Field{Fleet: f}, nil)
	require.NoError(t, err)
	_, err = armed.Await(within(t, 20*time.Millisecond))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, armed.Release(t.Context()))
	require.Contains(t, f.calls, "release idempotent-1")
}

func TestAWorkerThatIsArmedByAnotherIsLeftAlone(t *testing.T) {
	f := newFleet()
	f.armErr = errors.New("another fault armed it")
	armed, _, err := fire(t, &harness.Field{Fleet: f}, "phase", map[string]any{"phase": "flushed"})
	require.ErrorContains(t, err, "another fault armed it")
	require.NoError(t, armed.Release(t.Context()))
	require.Equal(t, []string{"arm flushed after 0 idempotent-1", "release idempotent-1"}, f.calls)
}

func TestAPartitionWithoutOwnerIsReported(t *testing.T) {
	f := newFleet()
	f.members[3].Partitions = nil
	trigger := newTrigger(t, "end-txn", map[string]any{"end-txn": 2})
	_, err := trigger.Arm(within(t, 30*time.Millisecond), &harness.Field{Fleet: f}, nil)
	require.ErrorContains(t, err, "no running worker of transactional owns partition 0")
}

func TestAPhaseOfASource(t *testing.T) {
	_, saw, err := fire(t, &harness.Field{Fleet: newFleet()}, "phase", map[string]any{"phase": "acked"})
	require.NoError(t, err)
	require.Contains(t, saw, "source-restarted waits at acked")
}

func TestEndTxnWaitsAtTheLastPhaseBeforeIt(t *testing.T) {
	f := newFleet()
	_, saw, err := fire(t, &harness.Field{Fleet: f}, "end-txn", map[string]any{"end-txn": 2})
	require.NoError(t, err)
	require.Contains(t, saw, "transactional-0 waits at offsets-sent")
	require.Equal(t, []string{"arm offsets-sent after 1 transactional-0"}, f.calls)
}

// TestAnOpenTransactionIsTheCoordinatorsWord: a worker that waits proves nothing yet.
func TestAnOpenTransactionIsTheCoordinatorsWord(t *testing.T) {
	kafka, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "out"))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	client := func(opts ...kgo.Opt) *kgo.Client {
		c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(kafka.ListenAddrs()...))...)
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	field := &harness.Field{Fleet: newFleet(), Admin: client(), Cluster: nodes{numbers: []int{0}}, Plan: harness.TopicPlan{Pipelines: []harness.PipelineLayout{{
		PipelineInfo: harness.PipelineInfo{Name: "transactional"}, TransactionalIDs: []string{"t0"},
	}}}}
	settings := map[string]any{"transaction-open": "transactional"}
	_, _, err = fire(t, field, "transaction-open", settings)
	require.Error(t, err, "there is no such transaction")

	producer := client(kgo.TransactionalID("t0"))
	require.NoError(t, producer.BeginTransaction())
	require.NoError(t, producer.ProduceSync(t.Context(), &kgo.Record{Topic: "out", Value: []byte("x")}).FirstErr())
	_, saw, err := fire(t, field, "transaction-open", settings)
	require.NoError(t, err)
	require.Contains(t, saw, "transactional-0 waits at flushed with 0 records held, its transaction is Ongoing (producer id")

	require.NoError(t, producer.EndTransaction(t.Context(), kgo.TryCommit))
	_, _, err = fire(t, field, "transaction-open", settings)
	require.ErrorContains(t, err, "its transaction t0 is")
}

func TestWhichTriggersHoldTheSameWorkers(t *testing.T) {
	flushed := newTrigger(t, "phase", map[string]any{"phase": "flushed"})
	one := newTrigger(t, "phase", map[string]any{"phase": "flushed", "of": "idempotent"})
	ends := newTrigger(t, "end-txn", map[string]any{"end-txn": 1})
	require.True(t, SameWorkers(flushed, flushed))
	require.True(t, SameWorkers(one, ends), "none in common")
	require.False(t, SameWorkers(one, flushed))
	require.False(t, SameWorkers(ends, newTrigger(t, "phase", map[string]any{"phase": "committing", "partition": 1})))
	require.True(t, SameWorkers(one, newTrigger(t, "acked", map[string]any{"acked": 1})))
}
