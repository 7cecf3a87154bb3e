package toxics

import (
	"slices"
	"sync"

	"github.com/chaeos/chaeos/harness"
)

// originals remembers what was there before any fault changed a thing that several faults may change at once: a setting,
// the order of replicas, whether a proxy listens, whether a broker runs. Healed in any order, what the newest fault still
// active wants is in force, and at the end what was there at first.
type originals[V any] struct {
	mu   sync.Mutex
	held map[string]*layers[V]
}

// layers is one thing that faults change.
type layers[V any] struct {
	// changing is held by whoever changes the thing: one at a time, while other things change.
	changing sync.Mutex
	// users are those who change it or wait to.
	users  int
	first  V
	claims []*claim[V]
}

// claim is one fault's wish for one thing.
type claim[V any] struct {
	key  string
	of   *layers[V]
	want V
}

// settle makes a thing that the caller is changing stay as it is now, whoever is healed.
func (o *originals[V]) settle(l *layers[V], now V) {
	o.begin(l, now)
	for _, c := range l.claims {
		c.want = now
	}
}

// begin says what a thing that the caller is changing was like at first.
func (o *originals[V]) begin(l *layers[V], first V) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l.first = first
}

// first is what a claimed thing was like at first.
func (o *originals[V]) first(c *claim[V]) V {
	o.mu.Lock()
	defer o.mu.Unlock()
	return c.of.first
}

// keyOn makes a thing's key unique over clusters: two may be up in one process.
func keyOn(f *harness.Field, thing string) string { return f.Cluster.Info().ToxiproxyAPI + " " + thing }

// change does something to a thing that nobody else changes meanwhile.
func (o *originals[V]) change(key string, do func(*layers[V]) error) error {
	o.mu.Lock()
	if o.held == nil {
		o.held = map[string]*layers[V]{}
	}
	l := o.held[key]
	if l == nil {
		l = &layers[V]{}
		o.held[key] = l
	}
	l.users++
	o.mu.Unlock()
	l.changing.Lock()
	defer func() {
		l.changing.Unlock()
		o.mu.Lock()
		defer o.mu.Unlock()
		if l.users--; l.users == 0 && len(l.claims) == 0 {
			delete(o.held, key)
		}
	}()
	return do(l)
}

// take notes that a fault wants a thing to be so. Only where no other fault has a claim is it read what the thing is like.
func (o *originals[V]) take(key string, want V, read func() (V, error)) (c *claim[V], err error) {
	err = o.change(key, func(l *layers[V]) error {
		if len(l.claims) == 0 {
			first, err := read()
			if err != nil {
				return err
			}
			o.begin(l, first)
		}
		c = o.add(l, key, want)
		return nil
	})
	return c, err
}

// add notes a claim on a thing that the caller is changing.
func (o *originals[V]) add(l *layers[V], key string, want V) *claim[V] {
	c := &claim[V]{key: key, of: l, want: want}
	o.mu.Lock()
	defer o.mu.Unlock()
	l.claims = append(l.claims, c)
	return c
}

// age makes a claim the oldest of a thing that the caller is changing.
func (o *originals[V]) age(l *layers[V], c *claim[V]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l.claims = append([]*claim[V]{c}, slices.DeleteFunc(l.claims, func(other *claim[V]) bool { return other == c })...)
}

// claimed says whether any fault has a claim on a thing.
func (o *originals[V]) claimed(key string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held[key] != nil && len(o.held[key].claims) > 0
}

// give ends a claim once put has made the thing what it must be now, and says whether that is what it was at first.
// It may be called again after an error.
func (o *originals[V]) give(c *claim[V], put func(V) error) (last bool, err error) {
	err = o.change(c.key, func(l *layers[V]) error {
		if !slices.Contains(l.claims, c) {
			return nil
		}
		left := slices.DeleteFunc(slices.Clone(l.claims), func(other *claim[V]) bool { return other == c })
		now := l.first
		if len(left) > 0 {
			now = left[len(left)-1].want
		}
		if err := put(now); err != nil {
			return err
		}
		last = len(left) == 0
		o.mu.Lock()
		defer o.mu.Unlock()
		l.claims = left
		return nil
	})
	return last, err
}
