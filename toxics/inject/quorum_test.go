package inject

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/toxics/target"
)

// What a fault does to controllers that keep no records is seen in the quorum: which one leads it, and of which ones the leader
// has not heard.
func TestControllersAreHitWhereTheQuorumShowsIt(t *testing.T) {
	const start, asking = history.Time(1e12), 100 * time.Millisecond
	wall := time.UnixMilli(1_000_000)
	type answer struct {
		after time.Duration
		heard map[int]time.Duration // how long ago each was heard; nil: no broker knows a leader
		leads int
	}
	for name, c := range map[string]struct {
		hit     []int
		answers []answer
		proof   string
		effect  string
	}{
		"the leader was killed": {[]int{4}, []answer{
			{after: 0, leads: 4, heard: map[int]time.Duration{5: 0}}, {after: 300 * time.Millisecond},
			{after: 1200 * time.Millisecond, leads: 5, heard: map[int]time.Duration{4: 1200 * time.Millisecond}},
			{after: 2400 * time.Millisecond, leads: 5, heard: map[int]time.Duration{4: 2400 * time.Millisecond}},
		}, "killed controller 4; leader of the quorum: 4 -> 5 after 1.2s", "leader of the quorum: 4 -> 5 after 1.2s"},
		"a follower was killed": {[]int{6}, []answer{
			{after: 3 * time.Second, leads: 4, heard: map[int]time.Duration{5: 0, 6: 3200 * time.Millisecond}},
			{after: 3500 * time.Millisecond, leads: 4, heard: map[int]time.Duration{5: 0, 6: 3700 * time.Millisecond}},
		}, "killed controller 6; the quorum's leader did not hear of it for 3.5s", ""},
		"the only one was killed": {[]int{4}, []answer{
			{after: time.Second}, {after: 3 * time.Second}, {after: 4 * time.Second, leads: 4},
		}, "killed controller 4; no broker could say for 2.1s who leads the quorum", ""},
		"it was not: all follow the same leader": {[]int{4}, []answer{
			{after: 3 * time.Second, leads: 4, heard: map[int]time.Duration{5: 500 * time.Millisecond}},
		}, "", ""},
		"it was not: the follower is heard": {[]int{6}, []answer{
			{after: 3 * time.Second, leads: 4, heard: map[int]time.Duration{5: 3 * time.Second, 6: 500 * time.Millisecond}},
		}, "", ""},
		"it was silent before only": {[]int{6}, []answer{
			{after: 100 * time.Millisecond, leads: 4, heard: map[int]time.Duration{6: 9 * time.Second}},
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := &quorumWatch{hit: c.hit, before: 4, start: start, unheard: map[int]time.Duration{}}
			for _, a := range c.answers {
				var now *ask.Quorum
				if a.leads > 0 {
					now = &ask.Quorum{Leader: a.leads, Heard: map[int]int64{a.leads: -1}}
				}
				for node, ago := range a.heard {
					now.Heard[node] = wall.Add(a.after - ago).UnixMilli()
				}
				q.note(now, start.Add(a.after-asking), start.Add(a.after), wall.Add(a.after))
			}
			proof, hit := q.proof("killed")
			assert.Equal(t, c.proof, proof)
			assert.Equal(t, c.proof != "", hit)
			assert.Equal(t, c.effect, q.reaction())
		})
	}
}

func TestOnlySeparateControllersAreLookedForInTheQuorum(t *testing.T) {
	v := target.View{Nodes: []int{1, 2, 3}, Controller: 4}
	f := &harness.Field{}
	assert.Nil(t, watchQuorum(f, v, []int{1}, []int{2, 3}), "a broker")
	assert.Nil(t, watchQuorum(f, v, []int{4}, nil), "no voter can be asked")
	assert.Equal(t, []int{4}, watchQuorum(f, v, []int{1, 4}, []int{2, 3}).hit)
}
