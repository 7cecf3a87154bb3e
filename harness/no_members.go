package harness

import (
	"context"
	"errors"
)

// noMembers are the members of a cluster on which no run plays.
type noMembers struct{}

var (
	_ Roster    = noMembers{}
	_ Processes = noMembers{}
	_ Gates     = noMembers{}
	_ Viewer    = noMembers{}
)

var errNoMembers = errors.New("there are no sources or workers: no run plays on this cluster")

func (noMembers) Members() []Member     { return nil }
func (noMembers) Offered(string) uint64 { return 0 }
func (noMembers) Acked(string) uint64   { return 0 }

func (noMembers) Kill(context.Context, string) error          { return errNoMembers }
func (noMembers) Pause(context.Context, string) error         { return errNoMembers }
func (noMembers) Resume(context.Context, string) error        { return errNoMembers }
func (noMembers) Stop(context.Context, string) error          { return errNoMembers }
func (noMembers) Restart(context.Context, string) error       { return errNoMembers }
func (noMembers) Add(context.Context, string) (string, error) { return "", errNoMembers }
func (noMembers) Rename(string) error                         { return errNoMembers }

func (noMembers) Arm(context.Context, string, string) error              { return errNoMembers }
func (noMembers) ArmAfter(context.Context, string, string, uint64) error { return errNoMembers }
func (noMembers) Await(context.Context, string) error                    { return errNoMembers }
func (noMembers) Release(context.Context, string) error                  { return errNoMembers }

// Visible is 0: no pipeline writes anything.
func (noMembers) Visible(string) uint64 { return 0 }
