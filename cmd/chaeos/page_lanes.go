package main

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// pageLeaders makes a lane for each partition.
func pageLeaders(record *harness.RunRecord, dir string, a axis) ([]page.Leaders, error) {
	spans, err := timeline.Leaders(dir)
	if err != nil {
		return nil, err
	}
	out := []page.Leaders{}
	for _, s := range spans {
		name := fmt.Sprintf("%s/%d", topicName(record, s.Topic), s.Partition)
		if len(out) == 0 || out[len(out)-1].Partition != name {
			out = append(out, page.Leaders{Partition: name})
		}
		lane := &out[len(out)-1]
		text := fmt.Sprintf("broker %d", s.Leader)
		if s.Leader < 0 {
			text = "no leader"
		}
		lane.Spans = append(lane.Spans, page.LeaderSpan{
			From: a.at(s.From), To: a.to(s.To), Leader: s.Leader, Text: text, Dim: len(s.ISR) < len(record.Plan.Replicas[s.Partition]),
			Tip: fmt.Sprintf("%s: %s, leader epoch %d, in sync: %v", name, text, s.LeaderEpoch, s.ISR),
		})
	}
	return out, nil
}

// topicName shortens a topic: an output is named by its pipeline.
func topicName(record *harness.RunRecord, topic string) string {
	for _, l := range record.Plan.Pipelines {
		if l.Output == topic {
			return l.Name
		}
	}
	return strings.TrimPrefix(topic, record.Name+"-")
}

// pageMembers makes a lane for each member: its incarnations, the times between them, and the pauses that faults made.
func pageMembers(record *harness.RunRecord, dir string, a axis) ([]page.Member, error) {
	lives, err := timeline.Lives(dir)
	if err != nil {
		return nil, err
	}
	out := []page.Member{}
	for i, l := range lives {
		if l.Unread {
			continue
		}
		if len(out) == 0 || out[len(out)-1].Member != l.Member {
			out = append(out, page.Member{Member: l.Member})
		}
		lane := &out[len(out)-1]
		lane.Spans = append(lane.Spans, page.MemberSpan{From: a.at(l.From), To: a.to(l.To), State: "up", Text: fmt.Sprint(l.Incarnation),
			Tip: fmt.Sprintf("%s, incarnation %d", l.Member, l.Incarnation)})
		if l.Killed {
			var back history.Time
			if i+1 < len(lives) && lives[i+1].Member == l.Member {
				back = lives[i+1].From
			}
			lane.Spans = append(lane.Spans, page.MemberSpan{From: a.at(l.To), To: a.to(back), State: "killed", Tip: l.Member + ": killed"})
		}
	}
	for i := range out { // drawn over the incarnation that they are a part of
		out[i].Spans = append(out[i].Spans, pauses(record, out[i].Member, a)...)
	}
	return out, nil
}

// pauses are the times in which a fault had a member stopped.
func pauses(record *harness.RunRecord, member string, a axis) []page.MemberSpan {
	var out []page.MemberSpan
	for _, f := range record.Faults {
		if f.Fault != "worker-pause" || f.Injected == 0 {
			continue
		}
		for _, m := range f.Resolved.Members {
			if m == member {
				out = append(out, page.MemberSpan{From: a.at(f.Injected), To: a.to(f.Healed), State: "paused", Tip: member + ": paused (SIGSTOP)"})
			}
		}
	}
	return out
}
