package observation

import (
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
	// Forks counts the offsets that hold something else than at the leader; First is the first of them.
	Forks uint64 `json:"forks,omitempty"`
	First *Fork  `json:"first,omitempty"`
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
	Damaged       bool   `json:"damaged,omitempty"`
}

// Compare notes what differs between the leader's batches and the replica's, of one part of the log. Both are by first offset.
func (r *Replica) Compare(leader, other map[int64]Copy) {
	for _, first := range slices.Sorted(maps.Keys(leader)) {
		b := leader[first]
		if o, there := other[first]; !there || o != b {
			r.fork(first, b.Last, &b, holding(other, first))
		}
	}
	for _, first := range slices.Sorted(maps.Keys(other)) {
		if b := other[first]; !overlaps(leader, b) {
			r.fork(first, b.Last, nil, &b)
		}
	}
}

func (r *Replica) fork(from, to int64, leader, other *Copy) {
	r.Forks += uint64(to - from + 1)
	if r.First == nil || from < r.First.Offset {
		r.First = &Fork{Offset: from, Leader: leader, Other: other}
	}
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

func overlaps(of map[int64]Copy, b Copy) bool {
	for _, x := range of {
		if x.First <= b.Last && b.First <= x.Last {
			return true
		}
	}
	return false
}
