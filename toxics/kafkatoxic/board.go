package kafkatoxic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// maxKept bounds the disarmed rules whose counters are kept until they are forgotten.
const maxKept = 64

// command is an update of "kafka_req": at most one thing to do. An empty one changes nothing.
type command struct {
	// Arm adds a rule behind the others. To arm the same rule twice is to arm it once.
	Arm *Rule `json:"arm,omitempty"`
	// Release, Disarm and Forget name a rule; that there is no such rule is no error.
	Release string `json:"release,omitempty"`
	Disarm  string `json:"disarm,omitempty"`
	Forget  string `json:"forget,omitempty"`
}

// board is the rules at one toxic. Its zero value has none.
type board struct {
	sharing
	mu   sync.Mutex // held by commands
	all  []*armed   // in the order of arming, disarmed ones among them
	live atomic.Pointer[[]*armed]
}

// rules are those that are armed. The slice is never changed.
func (b *board) rules() []*armed {
	if live := b.live.Load(); live != nil {
		return *live
	}
	return nil
}

// do does a command. Toxiproxy calls it when the toxic is added or updated. An error becomes its answer, with status 400, and
// then nothing has changed.
func (b *board) do(data []byte) error {
	var c command
	if err := strict(data, &c); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.publish()
	switch {
	case c.Arm != nil:
		return b.arm(*c.Arm)
	case c.Release != "":
		b.each(c.Release, (*armed).release)
	case c.Disarm != "":
		b.each(c.Disarm, (*armed).disarm)
	case c.Forget != "":
		b.each(c.Forget, (*armed).disarm)
		b.all = slices.DeleteFunc(b.all, func(a *armed) bool { return a.ID == c.Forget })
	}
	return nil
}

func (b *board) arm(r Rule) error {
	m, err := newMatcher(r)
	if err != nil {
		return fmt.Errorf("arm: %w", err)
	}
	for _, a := range b.all {
		if a.ID == r.ID {
			if a.isOff() || !same(a.Rule, r) {
				return fmt.Errorf("arm: there is another rule %q", r.ID)
			}
			return nil
		}
	}
	b.all = append(b.all, arm(m, &b.exchange().budgets))
	if kept := slices.IndexFunc(b.all, (*armed).isOff); kept >= 0 && len(b.all) > maxKept {
		b.all = slices.Delete(b.all, kept, kept+1)
	}
	return nil
}

func (b *board) each(id string, do func(*armed)) {
	for _, a := range b.all {
		if a.ID == id {
			do(a)
		}
	}
}

func (b *board) publish() {
	live := slices.DeleteFunc(slices.Clone(b.all), (*armed).isOff)
	b.live.Store(&live)
}

func same(a, b Rule) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// strict reads JSON; an unknown field is an error.
func strict(data []byte, into any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return errors.New("attributes: expected an object")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
