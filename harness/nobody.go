package harness

import (
	"context"
	"errors"
)

// nobody is the fleet of a cluster on which no run plays.
type nobody struct{}

var _ Fleet = nobody{}

var errNobody = errors.New("there are no sources or workers: no run plays on this cluster")

func (nobody) Start(context.Context) error                            { return nil }
func (nobody) Feed(context.Context) error                             { return nil }
func (nobody) StopSources(context.Context) error                      { return nil }
func (nobody) StopWorkers(context.Context) error                      { return nil }
func (nobody) Members() []Member                                      { return nil }
func (nobody) Offered(string) uint64                                  { return 0 }
func (nobody) Acked(string) uint64                                    { return 0 }
func (nobody) Kill(context.Context, string) error                     { return errNobody }
func (nobody) Pause(context.Context, string) error                    { return errNobody }
func (nobody) Resume(context.Context, string) error                   { return errNobody }
func (nobody) Restart(context.Context, string) error                  { return errNobody }
func (nobody) Add(context.Context, string) (string, error)            { return "", errNobody }
func (nobody) Rename(string) error                                    { return errNobody }
func (nobody) Stop(context.Context, string) error                     { return errNobody }
func (nobody) Arm(context.Context, string, string) error              { return errNobody }
func (nobody) ArmAfter(context.Context, string, string, uint64) error { return errNobody }
func (nobody) Await(context.Context, string) error                    { return errNobody }
func (nobody) Release(context.Context, string) error                  { return errNobody }
func (nobody) Incidents() []string                                    { return nil }
func (nobody) Histories() []HistoryRecord                             { return nil }
func (nobody) Close(context.Context) error                            { return nil }

// blind is the observer of a cluster on which no run plays.
type blind struct{}

var _ Observer = blind{}

func (blind) Start(context.Context) error    { return nil }
func (blind) Visible(string) uint64          { return 0 }
func (blind) VisibleIn(string, int32) uint64 { return 0 }
func (blind) LargestLag(string) int64        { return 0 }
func (blind) Failed() error                  { return nil }
func (blind) Stop(context.Context) error     { return nil }
func (blind) Histories() []HistoryRecord     { return nil }
