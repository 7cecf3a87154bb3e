package toxics

import (
	"slices"
	"sync"

	"github.com/chaeos/chaeos/harness"
)

// originals remembers what was there before any fault changed a thing that several faults may change at once: a setting,
// the order of replicas, whether a proxy listens. Healed in any order, what the newest fault still active wants is in
// force, and at the end what was there at first.
type originals[V any] struct {
	mu   sync.Mutex
	held map[string]*layers[V]
}

type layers[V any] struct {
	first  V
	claims []*claim[V]
}

// claim is one fault's wish for one thing.
type claim[V any] struct {
	key  string
	want V
}

// keyOn makes a thing's key unique over clusters: two may be up in one process.
func keyOn(f *harness.Field, thing string) string { return f.Cluster.Info().ToxiproxyAPI + " " + thing }

// take notes that a fault wants a thing to be so. Only where no other fault has a claim is it read what the thing is like.
func (o *originals[V]) take(key string, want V, read func() (V, error)) (*claim[V], error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held == nil {
		o.held = map[string]*layers[V]{}
	}
	if o.held[key] == nil {
		first, err := read()
		if err != nil {
			return nil, err
		}
		o.held[key] = &layers[V]{first: first}
	}
	c := &claim[V]{key: key, want: want}
	o.held[key].claims = append(o.held[key].claims, c)
	return c, nil
}

// claimed says whether any fault has a claim on a thing.
func (o *originals[V]) claimed(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held[key] != nil
}

// give ends a claim once put has made the thing what it must be now, and says whether that is what it was at first.
// Nobody else changes it meanwhile. It may be called again after an error.
func (o *originals[V]) give(c *claim[V], put func(V) error) (last bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l := o.held[c.key]
	if l == nil || !slices.Contains(l.claims, c) {
		return false, nil
	}
	left := slices.DeleteFunc(slices.Clone(l.claims), func(other *claim[V]) bool { return other == c })
	now := l.first
	if len(left) > 0 {
		now = left[len(left)-1].want
	}
	if err := put(now); err != nil {
		return false, err
	}
	if l.claims = left; len(left) == 0 {
		delete(o.held, c.key)
	}
	return len(left) == 0, nil
}
