package inject

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/target"
)

const (
	// MeasureWithin bounds one look at the proxies' counters.
	MeasureWithin = 5 * time.Second
	// countedWithin is how long cut bytes may take to be counted: a connection that closes is counted a little later.
	countedWithin = time.Second
)

// Tally is how many bytes each stream of a fault held back or let pass since the injection.
type Tally struct {
	// Human writes a count with its unit: bytes unless set.
	Human   func(int64) string
	streams []target.Stream
	counted func(target.Stream, harness.LinkBytes) int64
	before  map[string]harness.LinkBytes
	bytes   map[target.Stream]int64
	err     error
}

// NewTally begins a tally; counted is what counts of a link's counters.
func NewTally(ctx context.Context, f *harness.Field, streams []target.Stream, counted func(target.Stream, harness.LinkBytes) int64) (*Tally, error) {
	before, err := f.Cluster.Bytes(ctx)
	if err != nil {
		return nil, fmt.Errorf("the links' byte counters: %w", err)
	}
	return &Tally{Human: humanBytes, streams: streams, counted: counted, before: before}, nil
}

// Count measures what has come since the injection, and returns the sum.
func (t *Tally) Count(ctx context.Context, f *harness.Field) int64 {
	after, err := f.Cluster.Bytes(ctx)
	if err != nil {
		t.err = err
		return 0
	}
	t.err, t.bytes = nil, map[target.Stream]int64{}
	var sum int64
	for _, s := range t.streams {
		n := max(0, t.counted(s, after[s.Link.Proxy])-t.counted(s, t.before[s.Link.Proxy]))
		t.bytes[s] = n
		sum += n
	}
	return sum
}

// Peak measures too, but keeps the largest count of each stream that was ever seen, ignoring counts below the least.
func (t *Tally) Peak(ctx context.Context, f *harness.Field, least int64) {
	seen := t.bytes
	t.Count(ctx, f)
	for s, n := range t.bytes {
		if n < least {
			n = 0
		}
		t.bytes[s] = max(n, seen[s])
	}
}

// Quiesce counts again and again, for a moment, until there is something to count.
func (t *Tally) Quiesce(ctx context.Context, f *harness.Field) {
	ctx, cancel := HealContext(ctx, countedWithin)
	defer cancel()
	_ = wait.Poll(ctx, 50*time.Millisecond, func() (bool, error) { return t.Count(ctx, f) > 0, nil })
}

// Of sums up the streams that matter, and names those with most: "312 kB cut on 1-2-replication, 2-1-replication".
func (t *Tally) Of(what string, matters func(target.Stream) bool) (string, bool) {
	if t.err != nil {
		return "not observed: " + t.err.Error(), false
	}
	byProxy := map[string]int64{}
	var sum int64
	for s, n := range t.bytes {
		if n > 0 && matters(s) {
			byProxy[s.Link.Proxy] += n
			sum += n
		}
	}
	if sum == 0 {
		return "nothing " + what, false
	}
	return fmt.Sprintf("%s %s on %s", t.Human(sum), what, Largest(byProxy)), true
}

// quoted is how many links a proof names.
const quoted = 3

// Largest names the links with the largest counts.
func Largest(byProxy map[string]int64) string {
	var names []string
	for name := range byProxy {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(byProxy[b], byProxy[a]), cmp.Compare(a, b))
	})
	if len(names) > quoted {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:quoted], ", "), len(names)-quoted)
	}
	return strings.Join(names, ", ")
}

// humanBytes writes a number of bytes with a unit.
func humanBytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	default:
		return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
	}
}

// HumanEnds writes a number of connections.
func HumanEnds(n int64) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}
