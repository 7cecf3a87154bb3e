package workloads

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
)

// Setting is one line of a pipeline's configuration.
type Setting struct {
	// Client is which of the pipeline's clients it is of, where it has several.
	Client, Name, Value string
	// Default is the client library's own value, "" where that is the same.
	Default string
}

// Description is what there is to know of a pipeline before it runs.
type Description struct {
	harness.PipelineInfo
	BreaksWhen, Cost string
	Settings         []Setting
	// Rebalance says whether rebalances are held back from a poll to the end of its work.
	HoldsRebalances bool
	Options         []Option
	Loop            string
}

// errDescribed ends a loop that was begun only to see what it opens.
var errDescribed = errors.New("described")

// Describe says what the named pipeline is. Its configuration is read off the clients that its own code makes, with the
// shared settings that experiments have unless they say otherwise; nothing is dialled.
func Describe(name string) (Description, error) {
	p, err := Lookup(name)
	if err != nil {
		return Description{}, err
	}
	d := Description{PipelineInfo: p.PipelineInfo, BreaksWhen: p.breaksWhen, Cost: p.cost, Options: p.options, Loop: p.loop}
	s := spec{
		Name: name + "-0", Pipeline: name, Input: "input", Output: "output", Group: name, TransactionalID: name + "-0",
		Partitions: 1, Shared: harness.DefaultShared(), Load: harness.Load{Rate: 1},
	}
	opened, err := opens(p, s)
	if err != nil {
		return d, err
	}
	for _, o := range opened {
		if err := d.read(o, len(opened) > 1); err != nil {
			return d, err
		}
	}
	if p.ShareGroup {
		d.shareSettings(s)
	}
	if !p.ProducerOnly {
		d.Settings = append(d.Settings, Setting{Name: "max.poll.records", Value: fmt.Sprint(s.Shared.MaxPollRecords), Default: "no limit"})
	}
	return d, nil
}

// opened are one client's options.
type opened struct {
	kind    kindOfClient
	options []kgo.Opt
}

// opens lists the clients that a pipeline makes.
func opens(p Pipeline, s spec) ([]opened, error) {
	switch {
	case p.ProducerOnly && p.Transactional:
		return []opened{{producing | transacts, transactingOptions(s)}}, nil
	case p.ProducerOnly:
		return []opened{{producing, append(SourceOptions(s), p.producer...)}}, nil
	}
	var all []opened
	stopping, stop := context.WithCancel(context.Background())
	defer stop()
	w := &worker{spec: s, stopping: stopping, gates: &gates{}, describe: func(o opened) { all = append(all, o) }}
	if err := p.work(stopping, w); !errors.Is(err, errDescribed) {
		return nil, fmt.Errorf("pipeline %s opened no client that can be described: %w", p.Name, err)
	}
	return all, nil
}

// read makes a client and reads its settings off.
func (d *Description) read(o opened, several bool) error {
	client, err := unconnected(o.options...)
	if err != nil {
		return err
	}
	defer client.CloseAllowingRebalance()
	basis := []kgo.Opt{kgo.ConsumerGroup("g")}
	if o.kind&shares != 0 {
		basis = []kgo.Opt{kgo.ShareGroup("g")}
	}
	if o.kind&transacts != 0 {
		basis = append(basis, kgo.TransactionalID("none"))
	}
	plain, err := unconnected(basis...)
	if err != nil {
		return err
	}
	defer plain.CloseAllowingRebalance()
	d.HoldsRebalances = d.HoldsRebalances || is(client, kgo.BlockRebalanceOnPoll)
	for _, p := range properties {
		if p.of&o.kind == 0 {
			continue
		}
		s := Setting{Name: p.name, Value: p.read(client)}
		if several {
			s.Client = o.kind.String()
		}
		if usual := p.read(plain); usual != s.Value {
			s.Default = usual
		}
		d.Settings = append(d.Settings, s)
	}
	return nil
}

// shareSettings are what can't be read off a share group's client: how its loop uses it, and what the brokers were told of
// the group.
func (d *Description) shareSettings(s spec) {
	d.Settings = append(d.Settings, Setting{Name: "share.acknowledgement.mode", Value: "explicit", Default: "implicit"})
	for _, c := range harness.ShareGroupConfigs(s.Shared) {
		d.Settings = append(d.Settings, Setting{Name: c.Name + " (of the group)", Value: c.Value, Default: c.Default})
	}
}

func (k kindOfClient) String() string {
	if k&consuming != 0 || k&shares != 0 {
		return "consumer"
	}
	return "producer"
}

// unconnected makes a client that reaches nobody.
func unconnected(options ...kgo.Opt) (*kgo.Client, error) {
	nobody := func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c, err := kgo.NewClient(append(options, kgo.SeedBrokers("127.0.0.1:1"), kgo.Dialer(nobody), kgo.WithContext(ctx), kgo.WithLogger(nil))...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	return c, nil
}
