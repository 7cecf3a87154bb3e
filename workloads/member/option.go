package workloads

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Option is one setting of a pipeline that an experiment can change.
type Option struct {
	Name, Default, About string
	// Values are the words that it takes; none: a duration, or a share from 0 to 1, as the default is.
	Values []string
}

// The options of every pipeline whose workers are members of a group.
const (
	optProtocol   = "group-protocol"
	optAssignment = "assignment"
	optStatic     = "static-membership"
)

// groupOptionList are the options of a pipeline whose workers are members of a consumer group, and more of its own.
func groupOptionList(own ...Option) []Option {
	return append(own,
		Option{optProtocol, "classic", "who runs the group: its members (classic), or the brokers (consumer, KIP-848)", []string{"classic", "consumer"}},
		Option{optAssignment, "cooperative", "whether a rebalance takes every partition from everyone (eager) or only what moves", []string{"cooperative", "eager"}},
		Option{optStatic, "false", "whether a worker keeps its membership over restarts (group.instance.id)", []string{"false", "true"}},
	)
}

// CheckOptions says what is wrong with settings for the named pipeline, or nil.
func CheckOptions(pipeline string, set map[string]string) error {
	p, err := Lookup(pipeline)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(p.options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			return fmt.Errorf("pipeline %s has no option %q (%s)", pipeline, name, optionNames(p.options))
		}
		if err := p.options[i].check(set[name]); err != nil {
			return fmt.Errorf("pipeline %s: %w", pipeline, err)
		}
	}
	if set[optProtocol] == "consumer" && set[optAssignment] == "eager" {
		return fmt.Errorf("pipeline %s: with %s consumer the brokers assign, and they do it cooperatively: %s eager can't be", pipeline, optProtocol, optAssignment)
	}
	return nil
}

func optionNames(options []Option) string {
	var names []string
	for _, o := range options {
		names = append(names, o.Name)
	}
	if len(names) == 0 {
		return "it has none"
	}
	return "one of " + strings.Join(names, ", ")
}

func (o Option) check(value string) error {
	if len(o.Values) > 0 {
		if !slices.Contains(o.Values, value) {
			return fmt.Errorf("%s must be one of %s, not %q", o.Name, strings.Join(o.Values, ", "), value)
		}
		return nil
	}
	if _, err := strconv.ParseFloat(o.Default, 64); err == nil {
		if x, err := strconv.ParseFloat(value, 64); err != nil || x < 0 || x > 1 {
			return fmt.Errorf("%s must be a share from 0 to 1, not %q", o.Name, value)
		}
		return nil
	}
	if d, err := time.ParseDuration(value); err != nil || d < 0 || d > time.Hour {
		return fmt.Errorf("%s must be a duration from 0 to 1h like %s, not %q", o.Name, o.Default, value)
	}
	return nil
}

// option is the setting of a pipeline's option. Values were checked before anything started.
func (s spec) option(name string) string {
	if v, ok := s.Options[name]; ok {
		return v
	}
	p, err := Lookup(s.Pipeline)
	if err != nil {
		return ""
	}
	for _, o := range p.options {
		if o.Name == name {
			return o.Default
		}
	}
	return ""
}

func (s spec) duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.option(name)) // checked before anything started
	return d
}

func (s spec) share(name string) float64 {
	x, _ := strconv.ParseFloat(s.option(name), 64) // checked before anything started
	return x
}

// groupProtocol says how the worker is a member of its group.
func groupProtocol(s spec, balancer kgo.GroupBalancer) []kgo.Opt {
	opts := []kgo.Opt{kgo.Balancers(balancer)}
	if s.option(optProtocol) == "consumer" {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	if s.option(optStatic) == "true" {
		opts = append(opts, kgo.InstanceID(s.Name))
	}
	return opts
}

// assignor shares a group's partitions out, where its members do that.
func assignor(s spec) kgo.GroupBalancer {
	if s.option(optProtocol) == "consumer" || s.option(optAssignment) == "eager" {
		return kgo.StickyBalancer()
	}
	return kgo.CooperativeStickyBalancer()
}
