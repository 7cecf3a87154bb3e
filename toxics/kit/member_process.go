package kit

import (
	"context"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// RestartWithin bounds the heal of one member.
const RestartWithin = 20 * time.Second

// MemberProcess is the process of a worker, a source or the external service.
func MemberProcess(f *harness.Field, name string) *inject.Process[harness.MemberState] {
	return &inject.Process[harness.MemberState]{
		Name: calledMember(f, name), Claims: claims.Of[harness.MemberState](f.Claims, "member"), Key: name,
		Running: harness.MemberRunning, Within: RestartWithin,
		State: func(context.Context) (harness.MemberState, error) {
			m, err := target.Member(f, name)
			return m.State, err
		},
		Bring: func(ctx context.Context, want harness.MemberState) error { return bringMember(ctx, f, name, want) },
	}
}

// calledMember is what people call a member: "worker auto-commit-0".
func calledMember(f *harness.Field, name string) string {
	m, err := target.Member(f, name)
	switch {
	case err != nil:
		return name
	case name == target.ServiceMember:
		return "the external service"
	}
	return m.Role + " " + name
}

// bringMember pauses a member's process, or ends it in order. A dead one is started before it is paused.
func bringMember(ctx context.Context, f *harness.Field, name string, want harness.MemberState) error {
	m, err := target.Member(f, name)
	switch {
	case err != nil || m.State == want:
		return err
	case want == harness.MemberDead:
		return f.Fleet.Stop(ctx, name)
	case m.State == harness.MemberDead:
		if err := f.Fleet.Restart(ctx, name); err != nil {
			return err
		}
	}
	return f.Fleet.Pause(ctx, name)
}

// reviveMember starts a new incarnation of a member if it is dead: another fault may have started one.
func reviveMember(ctx context.Context, f *harness.Field, name string) error {
	m, err := target.Member(f, name)
	if err != nil || m.State != harness.MemberDead {
		return err
	}
	return f.Fleet.Restart(ctx, name)
}

// ResumeMember lets a member go on if it is paused: it may have died meanwhile.
func ResumeMember(ctx context.Context, f *harness.Field, name string) error {
	m, err := target.Member(f, name)
	if err != nil || m.State != harness.MemberPaused {
		return err
	}
	return f.Fleet.Resume(ctx, name)
}
