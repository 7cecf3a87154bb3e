package checks

import (
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/words"
)

var forks = kit.Check{
	Name:    "forks",
	About:   "compares every in-sync replica of a log with its leader's, batch by batch",
	Control: "a follower with other records",
	Numbers: []harness.Number{
		{
			Key: "forks", Header: "FORKS", Show: harness.WhenNonZero, Absent: harness.Null,
			Means: "Offsets below the high watermark, of the row's output and input, at which an in-sync replica holds another batch than the\n" +
				"leader, or none: leader epoch, producer id, epoch and sequence, and the CRC over the content are compared. Both are read at the\n" +
				"end, each from its own broker (Fetch from followers, KIP-392). One offset with two contents is no log: no guarantee holds on it.\n" +
				"An in-sync replica that could not be read to the end is asked where its own log begins and ends: what is outside counts too,\n" +
				"unless a recorded fault deleted it there. If that proves nothing, the row is inconclusive. `–` where replicas were not compared.",
			Unseen: "replicas that are not in sync, which a note names; replicas that differed during the run and agree at its end.",
		},
	},
	Begin: kit.Always(finishForks),
}

func finishForks(f *kit.Facts, n *harness.Numbers) (found []kit.Finding) {
	if f.Run.Index.Replicas == nil {
		return kit.Note("replicas were not compared with their leaders when the logs were read back")
	}
	var all uint64
	for _, p := range slices.Concat(f.Inputs(f.In), f.Out.Parts) {
		for i := range p.Info.Replicas {
			r := &p.Info.Replicas[i]
			start := p.Info.LogStart
			if r.Own != nil && causes.Deleted(f.Run, p, r.Own.Start) {
				start = max(start, r.Own.Start)
			}
			lacks := r.Lacks(start, p.Info.HW)
			all += r.Forks + lacks
			found = append(found, aboutReplica(p, r, lacks)...)
		}
	}
	n.Set("forks", all)
	return found
}

// aboutReplica is what one replica of a log proves, which lacks that many offsets by its own bounds.
func aboutReplica(p *logs.Partition, r *observation.Replica, lacks uint64) (found []kit.Finding) {
	at := fmt.Sprintf("%s/%d: the replica on broker %d", p.At.Topic, p.At.Partition, r.Broker)
	if r.Forks > 0 {
		first := ""
		if r.First != nil {
			first = fmt.Sprintf(", first at offset %d: %s on broker %d, %s on broker %d",
				r.First.Offset, r.First.Leader, p.Info.Leader, r.First.Other, r.Broker)
		}
		found = kit.Breaks(kit.Everything, "%s differs from the leader's at %s offsets%s", at, words.Number(r.Forks), first)
	}
	if lacks > 0 {
		found = append(found, kit.Breaks(kit.Everything, "%s is in sync and lacks %s offsets: it holds %d to %d, the leader %d to %d",
			at, words.Number(lacks), r.Own.Start, r.Own.End, p.Info.LogStart, p.Info.HW)...)
	}
	switch {
	case r.OutOfSync:
		return append(found, kit.Note("%s is not in sync, and was not compared", at)...)
	case r.Failure != "":
		return append(found, kit.Doubt("%s could not be compared: %s", at, r.Failure)...)
	case r.Reached < p.Info.HW:
		return append(found, kit.Doubt("%s ends at offset %d, below the high watermark %d", at, r.Reached, p.Info.HW)...)
	}
	return found
}
