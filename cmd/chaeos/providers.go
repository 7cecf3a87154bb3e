package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
)

// providers lists what can run clusters. Of those that this machine can run, auto takes the first.
func providers() []provider {
	return []provider{
		localProvider(),
		containersProvider(),
	}
}

// provider is one way to run clusters, and all that the command knows of it.
type provider struct {
	name string
	// runs completes "--cluster NAME runs …".
	runs string
	// abilities are what its clusters can do (harness.Abilities).
	abilities []string
	// flag is the flag that only this provider takes ("" none). If flagSays is set, the flag is reason enough for auto to
	// take the provider, and flagSays names the reason.
	flag, flagSays string
	// taken completes "auto takes NAME …"; lacking is a sentence on why it did not.
	taken, lacking string
	// find checks whether this machine can run its clusters. It returns a sentence on what showed it, or what is missing.
	find func(context.Context) (found string, err error)
	new  func(clusterRequest, []string) harness.Provider
	// attach finds the cluster that is up. Its error is harness.ErrNoCluster, or harness.ErrStale if it is gone.
	attach func(context.Context) (harness.Cluster, error)
	// prune removes what killed runs left, and returns what that was; with all, also clusters that run.
	prune func(ctx context.Context, all bool) ([]string, error)
	// facts are what doctor shows of this machine.
	facts func(context.Context, machineRequest) []fact
}

// autoCluster is the name of the first provider that this machine can run.
const autoCluster = "auto"

// providerNames are the names that --cluster takes, the default first.
func providerNames(all []provider) []string {
	names := []string{autoCluster}
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// autoTakes is what auto does, in words: "local where Java is found, else containers".
func autoTakes(all []provider) string {
	var texts []string
	for i, p := range all {
		text := p.name
		if i < len(all)-1 {
			text += " " + p.taken
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", else ")
}

// clusterRequest is the cluster that was asked for: the provider's name, and the values of flags that only one takes.
type clusterRequest struct{ provider, image, kafkaHome string }

// own are the flags that only one provider takes, as far as they were given.
func (r clusterRequest) own() []string {
	var given []string
	if r.image != "" {
		given = append(given, "image")
	}
	if r.kafkaHome != "" {
		given = append(given, "kafka-home")
	}
	return given
}

// candidates are the providers that the request allows. A flag that none of them takes is a usage error.
func (r clusterRequest) candidates(all []provider) ([]provider, error) {
	left := all
	if r.provider != autoCluster {
		if err := oneOf("provider", r.provider, providerNames(all)); err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(slices.Clone(all), func(p provider) bool { return p.name != r.provider })
	}
	for _, flag := range r.own() {
		rest := slices.DeleteFunc(slices.Clone(left), func(p provider) bool { return p.flag != flag })
		if len(rest) == 0 {
			of := all[slices.IndexFunc(all, func(p provider) bool { return p.flag == flag })]
			return nil, usagef("--%s is for --cluster %s: --cluster %s runs %s", flag, of.name, left[0].name, left[0].runs)
		}
		left = rest
	}
	return left, nil
}

// choice is the provider that was chosen, and why, if it was not named.
type choice struct {
	provider harness.Provider
	why      string
}

// choose returns the provider that is named; auto takes the first that this machine can run.
func choose(ctx context.Context, all []provider, r clusterRequest, self []string) (choice, error) {
	left, err := r.candidates(all)
	if err != nil {
		return choice{}, err
	}
	if r.provider != autoCluster {
		return choice{provider: left[0].new(r, self)}, nil
	}
	var errs []error
	var why []string
	for _, p := range left {
		if p.flagSays != "" && slices.Contains(r.own(), p.flag) {
			return choice{p.new(r, self), p.flagSays}, nil
		}
		found, err := p.find(ctx)
		if err == nil {
			return choice{p.new(r, self), strings.Join(append(why, found), ", and ")}, nil
		}
		errs, why = append(errs, err), append(why, p.lacking)
	}
	if len(errs) == 1 {
		return choice{}, errs[0]
	}
	return choice{}, fmt.Errorf("this machine can run no cluster:\n%w", errors.Join(errs...))
}

// announce notes which provider was taken if none was named.
func (c choice) announce(note func(string)) {
	if c.why != "" {
		note(fmt.Sprintf("cluster %s: took %s (%s)", autoCluster, c.provider.Name(), c.why))
	}
}

// attach finds the cluster that is up, of any provider.
func attach(ctx context.Context, all []provider) (harness.Cluster, error) {
	for _, p := range all {
		c, err := p.attach(ctx)
		switch {
		case errors.Is(err, harness.ErrNoCluster):
		case errors.Is(err, harness.ErrStale):
			return nil, fmt.Errorf("%w: %w", errNoCluster, err)
		default:
			return c, err
		}
	}
	return nil, errNoCluster
}

// prune removes what is left of clusters whose owners were killed, and returns what that was. With all it also removes what
// may still be in use.
func prune(ctx context.Context, of []provider, all bool) (removed []string, err error) {
	for _, p := range of {
		some, failed := p.prune(ctx, all)
		removed, err = append(removed, some...), errors.Join(err, failed)
	}
	return removed, err
}
