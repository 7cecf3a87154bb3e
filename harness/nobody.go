package harness

import (
	"context"
	"errors"
)

// nobody is the members of a cluster on which no run plays: there are none.
type nobody struct{}

var (
	_ Roster    = nobody{}
	_ Processes = nobody{}
	_ Gates     = nobody{}
	_ Viewer    = nobody{}
)

var errNobody = errors.New("there are no sources or workers: no run plays on this cluster")

func (nobody) Members() []Member     { return nil }
func (nobody) Offered(string) uint64 { return 0 }
func (nobody) Acked(string) uint64   { return 0 }

func (nobody) Kill(context.Context, string) error          { return errNobody }
func (nobody) Pause(context.Context, string) error         { return errNobody }
func (nobody) Resume(context.Context, string) error        { return errNobody }
func (nobody) Stop(context.Context, string) error          { return errNobody }
func (nobody) Restart(context.Context, string) error       { return errNobody }
func (nobody) Add(context.Context, string) (string, error) { return "", errNobody }
func (nobody) Rename(string) error                         { return errNobody }

func (nobody) Arm(context.Context, string, string) error              { return errNobody }
func (nobody) ArmAfter(context.Context, string, string, uint64) error { return errNobody }
func (nobody) Await(context.Context, string) error                    { return errNobody }
func (nobody) Release(context.Context, string) error                  { return errNobody }

// Visible is 0: no pipeline writes anything.
func (nobody) Visible(string) uint64 { return 0 }
