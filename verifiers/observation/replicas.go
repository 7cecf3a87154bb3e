package observation

import (
	"fmt"
	"maps"
	"slices"
)

// ReplicasRead is there if in-sync replicas were compared: how long that took.
type ReplicasRead struct {
	TookMillis int64 `json:"tookMillis"`
}

// Replica is another replica of a partition's log, compared with the leader's up to the captured end.
type Replica struct {
	Broker int32 `json:"broker"`
	// OutOfSync replicas are not compared: they may lack what is committed.
	OutOfSync bool `json:"outOfSync,omitempty"`
	// Reached is the offset up to which it was read.
	Reached int64  `json:"reached"`
	Failure string `json:"failure,omitempty"`
	// Own is where the replica's own log begins and ends. Only a replica that could not be read is asked, and what it answers counts
	// only if it is in sync afterwards, under the same leader.
	Own *Bounds `json:"own,omitempty"`
	// Forks counts the offsets that hold something else than at the leader; First is the first of them.
	Forks uint64 `json:"forks,omitempty"`
	First *Fork  `json:"first,omitempty"`
}

// Bounds are a log's first offset and the one after its last.
type Bounds struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

// Fork is one offset with two contents: the batches that hold it at the leader and at the replica, nil where it holds none.
type Fork struct {
	Offset int64 `json:"offset"`
	Leader *Copy `json:"leader,omitempty"`
	Other  *Copy `json:"other,omitempty"`
}

// Copy is one replica's copy of a batch: its header, and whether its content fits its CRC-32C.
type Copy struct {
	First         int64  `json:"first"`
	Last          int64  `json:"last"`
	LeaderEpoch   int32  `json:"leaderEpoch"`
	ProducerID    int64  `json:"producerID"`
	ProducerEpoch int16  `json:"producerEpoch"`
	BaseSequence  int32  `json:"baseSequence"`
	CRC           uint32 `json:"crc"`
	// Damaged content does not fit the CRC. Content is then what the CRC should be: two copies can be damaged differently.
	Damaged bool   `json:"damaged,omitempty"`
	Content uint32 `json:"content,omitempty"`
}

// String says for people what identifies a copy.
func (c *Copy) String() string {
	if c == nil {
		return "nothing"
	}
	text := fmt.Sprintf("leader epoch %d, producer id %d epoch %d sequence %d, CRC %08x", c.LeaderEpoch, c.ProducerID, c.ProducerEpoch, c.BaseSequence, c.CRC)
	if c.Damaged {
		text += " (damaged)"
	}
	return text
}

// Compare notes what differs between the leader's batches and the replica's in one part of the log, from an offset on. Both are
// by first offset. It returns the offset after the last that differs, for the part that follows: batches reach into it.
func (r *Replica) Compare(leader, other map[int64]Copy, from int64) int64 {
	last := map[int64]int64{}
	for first, b := range leader {
		if o, there := other[first]; !there || o != b {
			last[first] = b.Last
		}
	}
	for first, b := range other {
		if o, there := leader[first]; !there || o != b {
			last[first] = max(last[first], b.Last)
		}
	}
	for _, first := range slices.Sorted(maps.Keys(last)) {
		at, to := max(first, from), last[first]
		if at > to {
			continue
		}
		if r.First == nil {
			r.First = &Fork{Offset: at, Leader: holding(leader, at), Other: holding(other, at)}
		}
		r.Forks += uint64(to - at + 1)
		from = to + 1
	}
	return from
}

// Lacks is how many of a log's offsets, from its start to its end, the replica does not hold by its own bounds.
func (r *Replica) Lacks(start, end int64) uint64 {
	if r.Own == nil {
		return 0
	}
	return uint64(max(0, end-start) - max(0, min(r.Own.End, end)-max(r.Own.Start, start)))
}

// Agrees reports whether the replica holds a log's offsets, from its start to its end, as the leader does. One that is out of
// sync need not.
func (r *Replica) Agrees(start, end int64) bool {
	return r.Forks == 0 && (r.OutOfSync || r.Failure == "" && r.Reached >= end && r.Lacks(start, end) == 0)
}

// Covers reports whether the fork's batch at the leader holds an offset.
func (f *Fork) Covers(offset int64) bool {
	return f != nil && f.Leader != nil && f.Offset <= offset && offset <= f.Leader.Last
}

// holding is the batch that covers an offset.
func holding(of map[int64]Copy, offset int64) *Copy {
	for _, b := range of {
		if b.First <= offset && offset <= b.Last {
			return &b
		}
	}
	return nil
}
