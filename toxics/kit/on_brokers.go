package kit

import (
	"context"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/inject"
	"github.com/chaeos/chaeos/toxics/target"
)

// OnBrokers is an injection on brokers that has not done anything yet.
type OnBrokers struct {
	*inject.Injection
	// View is what every broker did when the target was found.
	View    target.View
	Brokers []int
}

// FindBrokers resolves a target that selects brokers, and notes what is in flight.
func FindBrokers(ctx context.Context, f *harness.Field, selector string) (OnBrokers, error) {
	t, err := target.Parse(selector)
	if err != nil {
		return OnBrokers{}, err
	}
	v, err := target.Look(ctx, f)
	if err != nil {
		return OnBrokers{}, err
	}
	found, err := t.FindBrokers(v)
	if err != nil {
		return OnBrokers{}, err
	}
	return OnBrokers{inject.New(f, harness.Resolved{
		Text: v.Describe(found), Brokers: found, Partitions: v.LedBy(found, target.TopicsOf(f.Plan)...),
	}), v, found}, nil
}

// ExpectRunning notes that the brokers must run once the fault is healed, unless another fault has them.
func (on OnBrokers) ExpectRunning() {
	for _, b := range on.Brokers {
		on.Expect(calledNode(on.Field, b)+" runs", BrokerProcess(on.Field, b).Healed)
	}
}

// Others lists the brokers that the target doesn't select.
func (on OnBrokers) Others() []int { return target.Without(on.View.Nodes, on.Brokers) }
