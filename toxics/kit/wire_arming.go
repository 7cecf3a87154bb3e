package kit

import (
	"context"
	"errors"
	"fmt"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/target"
)

const (
	disarmWithin = 10 * time.Second
	// answersWithin is how long to wait for answers to what was held, after its release.
	answersWithin = 1500 * time.Millisecond
	lookEvery     = 20 * time.Millisecond
)

// arming is one rule on the links of a fault. Matches are counted over all links of one pipeline's members, so that "4 times"
// means 4 for each pipeline, to whichever broker its requests go. Links between nodes are counted together, too.
type arming struct {
	id    string
	links []*armedLink
}

// armedLink is the rule on one link.
type armedLink struct {
	target.Stream
	remote kafkatoxic.Remote
	rule   kafkatoxic.Rule
	asked  <-chan struct{} // closed when the arming was answered, nil if it never began

	status kafkatoxic.RuleStatus
	err    error
}

func armingOf(f *harness.Field, rule kafkatoxic.Rule, streams []target.Stream) *arming {
	client := toxiproxy.NewClient(f.Cluster.Info().ToxiproxyAPI)
	pipelines := map[string]string{}
	for _, m := range f.Fleet.Members() {
		pipelines[m.Name] = m.Pipeline
	}
	a := &arming{id: rule.ID}
	for _, s := range streams {
		own := rule
		own.Share = fmt.Sprintf("%s/%s", rule.ID, pipelines[s.Link.From])
		a.links = append(a.links, &armedLink{Stream: s, remote: kafkatoxic.NewRemote(client, s.Link.Proxy), rule: own})
	}
	return a
}

// arm puts the rule on every link. Each is noted for disarming before it is armed.
func (a *arming) arm(ctx context.Context, undo *inject.Undo) error {
	for _, l := range a.links {
		undo.Add(fmt.Sprintf("disarm %s on %s", a.id, l.Link.Proxy), disarmWithin, l.disarm)
	}
	return together.Do(a.links, func(l *armedLink) error { return l.arm(ctx) })
}

func (l *armedLink) arm(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, inject.AddWithin)
	defer cancel()
	var err error
	l.asked, err = inject.Bounded(ctx, func() error { return l.remote.Arm(l.rule) })
	return err
}

// disarm ends the rule, which releases what it held, and waits until it holds nothing: only then it is healed.
func (l *armedLink) disarm(ctx context.Context) error {
	if l.asked == nil {
		return nil
	}
	select {
	case <-l.asked:
	case <-ctx.Done():
		return fmt.Errorf("its arming was never answered: %w", context.Cause(ctx))
	}
	_, err := inject.Bounded(ctx, func() error { return l.remote.Disarm(l.rule.ID) })
	if errors.Is(err, kafkatoxic.ErrNotPrepared) {
		return nil // no toxic, no rule
	}
	if err != nil {
		return err
	}
	left := ""
	err = wait.Poll(ctx, lookEvery, func() (bool, error) {
		status, err := l.look(ctx)
		if err != nil {
			return false, err
		}
		left = fmt.Sprintf("armed: %t, waiting: %d", status.Armed, status.Waiting)
		return !status.Armed && status.Waiting == 0, nil
	})
	if err != nil {
		return fmt.Errorf("it is still at work (%s): %w", left, err)
	}
	return nil
}

// look reads what the rule did here: nothing if it isn't known here, for example because it was never armed.
func (l *armedLink) look(ctx context.Context) (kafkatoxic.RuleStatus, error) {
	var status kafkatoxic.RuleStatus
	result := make(chan kafkatoxic.RuleStatus, 1)
	_, err := inject.Bounded(ctx, func() error {
		all, err := l.remote.Status()
		rule, _ := all.Rule(l.rule.ID)
		result <- rule
		return err
	})
	if err == nil {
		status = <-result
	}
	return status, err
}

// count reads the counters, after a moment for answers that are under way, and makes the toxics forget the rule.
func (a *arming) count(ctx context.Context) {
	ctx, cancel := inject.HealContext(ctx, inject.MeasureWithin)
	defer cancel()
	_ = together.Do(a.links, func(l *armedLink) error {
		quiet, cancel := context.WithTimeout(ctx, answersWithin)
		defer cancel()
		_ = wait.Poll(quiet, lookEvery, func() (bool, error) {
			l.status, l.err = l.look(ctx)
			return l.err != nil || l.status.Unanswered == 0, nil
		})
		if l.err == nil {
			_, l.err = inject.Bounded(ctx, func() error { return l.remote.Forget(l.rule.ID) })
		}
		return l.err
	})
}
