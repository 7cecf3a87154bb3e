package workloads

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/properties"
	"github.com/chaeos/chaeos/workloads/protocol"
	"github.com/chaeos/chaeos/workloads/source"
	"github.com/chaeos/chaeos/workloads/worker"
)

// Description is what there is to know of a pipeline before it runs.
type Description struct {
	harness.PipelineInfo
	BreaksWhen, Cost string
	Settings         []properties.Setting
	// HoldsRebalances reports whether rebalances are held back from a poll to the end of its work.
	HoldsRebalances bool
	Options         member.Options
	Loop            string
}

// Describe describes the named pipeline. Its configuration is read off the clients that its own code makes, with the
// shared settings that experiments have unless they say otherwise. Nothing is dialled.
func Describe(name string) (Description, error) {
	p, err := Lookup(name)
	if err != nil {
		return Description{}, err
	}
	d := Description{PipelineInfo: p.PipelineInfo, BreaksWhen: p.breaksWhen, Cost: p.cost, Options: p.options, Loop: p.loop}
	s := protocol.Spec{
		Name: name + "-0", Pipeline: name, Input: "input", Output: "output", Group: name, TransactionalID: name + "-0",
		Partitions: 1, Shared: harness.DefaultShared(), Load: harness.Load{Rate: 1}, Options: p.options.WithDefaults(nil),
	}
	clients, err := p.clients(s)
	if err != nil {
		return d, fmt.Errorf("pipeline %s: %w", name, err)
	}
	for _, c := range clients {
		if err := d.read(c, len(clients) > 1); err != nil {
			return d, err
		}
	}
	if p.ShareGroup {
		d.shareSettings(s)
	}
	if !p.ProducerOnly {
		d.Settings = append(d.Settings, properties.Setting{Name: "max.poll.records", Value: fmt.Sprint(s.Shared.MaxPollRecords), Default: "no limit"})
	}
	return d, nil
}

// clients lists the clients that the pipeline makes.
func (p Pipeline) clients(s protocol.Spec) ([]properties.Client, error) {
	switch {
	case p.ProducerOnly && p.Transactional:
		return []properties.Client{{Kind: properties.Producing | properties.Transacting, Options: source.TransactionalOptions(s)}}, nil
	case p.ProducerOnly:
		return []properties.Client{{Kind: properties.Producing, Options: append(source.Options(s), p.producer.Producer...)}}, nil
	default:
		return worker.Clients(s, p.work)
	}
}

// read adds a client's settings, with the client's name if there are several.
func (d *Description) read(c properties.Client, several bool) error {
	settings, holds, err := c.Read()
	if err != nil {
		return err
	}
	d.HoldsRebalances = d.HoldsRebalances || holds
	for _, s := range settings {
		if several {
			s.Client = c.Kind.String()
		}
		d.Settings = append(d.Settings, s)
	}
	return nil
}

// shareSettings are what can't be read off a share group's client: how its loop uses it, and the group's settings, which
// the brokers keep.
func (d *Description) shareSettings(s protocol.Spec) {
	d.Settings = append(d.Settings, properties.Setting{Name: "share.acknowledgement.mode", Value: "explicit", Default: "implicit"})
	for _, c := range harness.ShareGroupConfigs(s.Shared) {
		d.Settings = append(d.Settings, properties.Setting{Name: c.Name + " (of the group)", Value: c.Value, Default: c.Default})
	}
}
