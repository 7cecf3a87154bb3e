package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/properties"
)

// assignmentEvery is how often a member of a share group asks for its assignment: the client doesn't report it.
const assignmentEvery = 500 * time.Millisecond

// OpenShared makes the client of a share group's member.
func (w *Worker) OpenShared(ctx context.Context) (*Client, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &Client{Worker: w, cancel: cancel, opened: make(chan struct{}), positions: map[int32]kgo.EpochOffset{}, shared: true}
	opts := append(member.ClientOptions(w.Spec), kgo.WithContext(ctx), kgo.WithHooks(&wire{ctx: ctx, c: c}),
		kgo.ShareGroup(w.Spec.Group), kgo.ConsumeTopics(w.Spec.Input), kgo.ShareMaxRecords(int32(w.Spec.Shared.MaxPollRecords)),
		kgo.ShareAckCallback(c.refused.add))
	if w.described(properties.Sharing|properties.Producing, opts) {
		cancel()
		return nil, errDescribed
	}
	kafka, err := kgo.NewClient(opts...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	c.kafka = kafka
	close(c.opened)
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); c.watchAssignment(watching) }()
	c.unwatch = func() { stop(); <-ended }
	return c, nil
}

// watchAssignment asks the group's coordinator for this member's assignment until ctx is done, and records and tells each
// change. The assignment is where fetches go; which records a member has in hand, only polls show.
func (c *Client) watchAssignment(ctx context.Context) {
	var assigned []int32
	_ = wait.Poll(ctx, assignmentEvery, func() (bool, error) { // it ends with its context only
		epoch, now, err := c.assignment(ctx)
		if err != nil || slices.Equal(assigned, now) {
			if err != nil && ctx.Err() == nil {
				slog.Warn("share group", "err", err)
			}
			return false, nil
		}
		if gone := without(assigned, now); len(gone) > 0 {
			c.onRevoked(gone, false)
		}
		if come := without(now, assigned); len(come) > 0 {
			c.onAssigned(epoch, come)
		}
		assigned = now
		return false, nil
	})
}

func without(a, b []int32) (out []int32) {
	for _, p := range a {
		if !slices.Contains(b, p) {
			out = append(out, p)
		}
	}
	return out
}

// assignment is the coordinator's answer about the member with this client's id.
func (c *Client) assignment(ctx context.Context) (epoch int32, partitions []int32, err error) {
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = []string{c.Spec.Group}
	resp, err := req.RequestWith(ctx, c.kafka)
	if err != nil {
		return 0, nil, fmt.Errorf("describing it: %w", err)
	}
	for _, g := range resp.Groups {
		if err := kerr.ErrorForCode(g.ErrorCode); err != nil {
			return 0, nil, fmt.Errorf("describing it: %w", err)
		}
		for _, m := range g.Members {
			if m.ClientID != c.Spec.ID() {
				continue
			}
			epoch = m.MemberEpoch
			for _, t := range m.Assignment.TopicPartitions {
				partitions = append(partitions, t.Partitions...)
			}
		}
	}
	slices.Sort(partitions)
	return epoch, partitions, nil
}
