// Package provider knows what can run clusters: for each provider one file, and one line in All.
package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// All lists the providers. Of those that this machine can run, auto takes the first.
func All() []Kind {
	return []Kind{
		localKind(),
		containersKind(),
	}
}

// Kind is one provider, and all that the command knows of it.
type Kind struct {
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
	new  func(Request, []string) harness.Provider
	// attach finds the cluster that is up. Its error is harness.ErrNoCluster, or harness.ErrStale if it is gone.
	attach func(context.Context) (harness.Cluster, error)
	// prune removes what killed runs left, and returns what that was; with all, also clusters that run.
	prune func(ctx context.Context, all bool) ([]string, error)
	// facts are what doctor shows of this machine.
	facts func(context.Context, Machine) []Fact
}

// Auto is the name of the first provider that this machine can run.
const Auto = "auto"

// Names are the names that --cluster takes, the default first.
func Names(all []Kind) []string {
	names := []string{Auto}
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// AutoTakes is what auto does, in words: "local where Java is found, else containers".
func AutoTakes(all []Kind) string {
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

// Request is the cluster that was asked for: the provider's name, and the values of flags that only one takes.
type Request struct{ Provider, Image, KafkaHome string }

// own are the flags that only one provider takes, as far as they were given.
func (r Request) own() []string {
	var given []string
	if r.Image != "" {
		given = append(given, "image")
	}
	if r.KafkaHome != "" {
		given = append(given, "kafka-home")
	}
	return given
}

// Check refuses a provider that isn't there, and a flag that it does not take.
func (r Request) Check(all []Kind) error {
	_, err := r.candidates(all)
	return err
}

// candidates are the providers that the request allows. A flag that none of them takes is a usage error.
func (r Request) candidates(all []Kind) ([]Kind, error) {
	left := all
	if r.Provider != Auto {
		if err := usage.OneOf("provider", r.Provider, Names(all)); err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(slices.Clone(all), func(p Kind) bool { return p.name != r.Provider })
	}
	for _, flag := range r.own() {
		rest := slices.DeleteFunc(slices.Clone(left), func(p Kind) bool { return p.flag != flag })
		if len(rest) == 0 {
			of := all[slices.IndexFunc(all, func(p Kind) bool { return p.flag == flag })]
			return nil, usage.Errorf("--%s is for --cluster %s: --cluster %s runs %s", flag, of.name, left[0].name, left[0].runs)
		}
		left = rest
	}
	return left, nil
}

// Choice is the provider that was chosen, and why, if it was not named.
type Choice struct {
	Provider harness.Provider
	why      string
}

// Choose returns the provider that is named; auto takes the first that this machine can run.
func Choose(ctx context.Context, all []Kind, r Request, self []string) (Choice, error) {
	left, err := r.candidates(all)
	if err != nil {
		return Choice{}, err
	}
	if r.Provider != Auto {
		return Choice{Provider: left[0].new(r, self)}, nil
	}
	var errs []error
	var why []string
	for _, p := range left {
		if p.flagSays != "" && slices.Contains(r.own(), p.flag) {
			return Choice{p.new(r, self), p.flagSays}, nil
		}
		found, err := p.find(ctx)
		if err == nil {
			return Choice{p.new(r, self), strings.Join(append(why, found), ", and ")}, nil
		}
		errs, why = append(errs, err), append(why, p.lacking)
	}
	if len(errs) == 1 {
		return Choice{}, errs[0]
	}
	return Choice{}, fmt.Errorf("this machine can run no cluster:\n%w", errors.Join(errs...))
}

// Announce notes which provider was taken if none was named.
func (c Choice) Announce(note func(string)) {
	if c.why != "" {
		note(fmt.Sprintf("cluster %s: took %s (%s)", Auto, c.Provider.Name(), c.why))
	}
}

// ErrNoCluster is the error of Attach if no cluster is up.
var ErrNoCluster = errors.New("no cluster is up (start one with: chaeos cluster up)")

// Attach finds the cluster that is up, of any provider.
func Attach(ctx context.Context, all []Kind) (harness.Cluster, error) {
	for _, p := range all {
		c, err := p.attach(ctx)
		switch {
		case errors.Is(err, harness.ErrNoCluster):
		case errors.Is(err, harness.ErrStale):
			return nil, fmt.Errorf("%w: %w", ErrNoCluster, err)
		default:
			return c, err
		}
	}
	return nil, ErrNoCluster
}

// Prune removes what is left of clusters whose owners were killed, and returns what that was. With all it also removes what
// may still be in use.
func Prune(ctx context.Context, of []Kind, all bool) (removed []string, err error) {
	for _, p := range of {
		some, failed := p.prune(ctx, all)
		removed, err = append(removed, some...), errors.Join(err, failed)
	}
	return removed, err
}

// PrepareLink gives every link the Kafka-aware toxics as it is made.
func PrepareLink(_ harness.Link, proxy *toxiproxy.Proxy) error { return kafkatoxic.Prepare(proxy) }
