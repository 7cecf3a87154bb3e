package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
)

// topologyFlags change the cluster that an experiment asks for.
type topologyFlags struct {
	brokers, controllers        int
	racks, features, properties []string
}

func (f *topologyFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.IntVar(&f.brokers, "brokers", harness.DefaultBrokers, "number of brokers")
	flags.IntVar(&f.controllers, "controllers", 0, "number of separate controllers (0: every broker is one too)")
	flags.StringSliceVar(&f.racks, "racks", nil, "the brokers' racks, dealt to them in turn")
	flags.StringArrayVar(&f.features, "feature", nil, "a feature level to format with, like transaction.version=1 (repeat it for more)")
	flags.StringArrayVar(&f.properties, "property", nil, "a broker property, like replica.lag.time.max.ms=10000 (repeat it for more)")
}

// check refuses flags that no cluster can be made of.
func (f *topologyFlags) check() error {
	for _, text := range f.features {
		if _, err := parseFeature(text); err != nil {
			return err
		}
	}
	for _, text := range f.properties {
		if name, _, ok := strings.Cut(text, "="); !ok || strings.TrimSpace(name) == "" {
			return usage.Errorf("--property %q: write it like replica.lag.time.max.ms=10000", text)
		}
	}
	return nil
}

func parseFeature(text string) (harness.Feature, error) {
	name, level, ok := strings.Cut(text, "=")
	number, err := strconv.ParseInt(level, 10, 16)
	if !ok || name == "" || err != nil || number < 0 {
		return harness.Feature{}, usage.Errorf("--feature %q: write it like transaction.version=1", text)
	}
	return harness.Feature{Name: name, Level: int16(number)}, nil
}

// apply replaces what the experiment asks for by the flags that were given, and refuses what no cluster can be.
func (f *topologyFlags) apply(flags *pflag.FlagSet, needs *harness.ClusterNeeds) error {
	if flags.Changed("brokers") {
		if needs.Topology.Brokers = f.brokers; f.brokers == 0 { // 0 would mean the default
			return usage.Errorf("--brokers 0: a cluster has %d to %d brokers", harness.DefaultBrokers, harness.MostBrokers)
		}
	}
	if flags.Changed("controllers") {
		needs.Topology.Controllers = f.controllers
	}
	if flags.Changed("racks") {
		needs.Topology.Racks = f.racks
	}
	needs.Features = slices.Clone(needs.Features)
	for _, text := range f.features {
		feature, err := parseFeature(text)
		if err != nil {
			return err
		}
		needs.Features = slices.DeleteFunc(needs.Features, func(has harness.Feature) bool { return has.Name == feature.Name })
		needs.Features = append(needs.Features, feature)
	}
	needs.Properties = f.merge(needs.Properties)
	if err := needs.Topology.Check(); err != nil {
		return usage.Errorf("%s", err)
	}
	return nil
}

// merge puts the properties that were given over those of the experiment.
func (f *topologyFlags) merge(properties map[string]string) map[string]string {
	if len(f.properties) == 0 {
		return properties
	}
	all := map[string]string{}
	maps.Copy(all, properties)
	for _, text := range f.properties {
		name, value, _ := strings.Cut(text, "=")
		all[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return all
}

// record notes the flags that were given, for the run's record.
func (f *topologyFlags) record(flag *pflag.Flag, into map[string]string) {
	switch flag.Name {
	case "brokers":
		into[flag.Name] = fmt.Sprint(f.brokers)
	case "controllers":
		into[flag.Name] = fmt.Sprint(f.controllers)
	case "racks":
		into[flag.Name] = strings.Join(f.racks, ",")
	case "feature":
		into[flag.Name] = strings.Join(f.features, ",")
	case "property":
		into[flag.Name] = strings.Join(f.properties, ",")
	}
}
