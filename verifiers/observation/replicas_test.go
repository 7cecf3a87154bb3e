package observation

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// copies are batches from the given offsets on, the last one up to below end.
func copies(end int64, firsts ...int64) map[int64]Copy {
	all := map[int64]Copy{}
	for i, first := range firsts {
		last := end - 1
		if i+1 < len(firsts) {
			last = firsts[i+1] - 1
		}
		all[first] = Copy{First: first, Last: last}
	}
	return all
}

// TestForksAreCountedOnce: batches that begin elsewhere at one replica overlap, within a part of the log and from part to part.
func TestForksAreCountedOnce(t *testing.T) {
	for name, x := range map[string]struct {
		// parts are the leader's and the other's batches by part.
		parts [][2]map[int64]Copy
		from  int64
		forks uint64
		first int64
	}{
		"the same":                     {[][2]map[int64]Copy{{copies(20, 0, 10), copies(20, 0, 10)}}, 0, 0, -1},
		"split within a batch":         {[][2]map[int64]Copy{{copies(20, 0, 10), copies(20, 0, 10, 15)}}, 0, 10, 10},
		"other bounds":                 {[][2]map[int64]Copy{{copies(20, 0, 10), copies(20, 0, 15)}}, 0, 20, 0},
		"missing at the other":         {[][2]map[int64]Copy{{copies(20, 0, 10), copies(10, 0)}}, 0, 10, 10},
		"longer at the other":          {[][2]map[int64]Copy{{copies(20, 0, 10), copies(22, 0, 10)}}, 0, 12, 10},
		"split where parts meet":       {[][2]map[int64]Copy{{copies(20, 0, 10), copies(16, 0, 10)}, {copies(30, 20), copies(30, 16, 20)}}, 0, 10, 10},
		"joined where parts meet":      {[][2]map[int64]Copy{{copies(16, 0, 10), copies(20, 0, 10)}, {copies(30, 16, 20), copies(30, 20)}}, 0, 10, 10},
		"a log that starts in a batch": {[][2]map[int64]Copy{{copies(20, 0, 10), copies(20, 0, 12)}}, 7, 13, 7},
	} {
		t.Run(name, func(t *testing.T) {
			var r Replica
			from := x.from
			for _, p := range x.parts {
				from = r.Compare(p[0], p[1], from)
			}
			require.Equal(t, x.forks, r.Forks)
			require.Equal(t, x.first >= 0, r.First != nil)
			if r.First != nil {
				require.Equal(t, x.first, r.First.Offset)
			}
		})
	}
}

func TestWhatAReplicaLacks(t *testing.T) {
	for _, x := range []struct {
		own  *Bounds
		want uint64
	}{
		{nil, 0}, {&Bounds{0, 100}, 0}, {&Bounds{10, 100}, 0}, {&Bounds{15, 120}, 5}, {&Bounds{0, 90}, 10}, {&Bounds{15, 90}, 15},
		{&Bounds{0, 0}, 90}, {&Bounds{200, 200}, 90},
	} {
		require.Equal(t, x.want, (&Replica{Own: x.own}).Lacks(10, 100), "%+v", x.own)
	}
}
