package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// configValues are the settings that faults changed: nil is a setting that nobody had given a value of its own.
var configValues originals[*string]

// configChange sets values of resources, and puts back what was there.
type configChange struct {
	set map[string]string
}

func (c configChange) String() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.set)) {
		texts = append(texts, name+"="+c.set[name])
	}
	return strings.Join(texts, ", ")
}

// apply changes every setting of every resource, and returns what each was before, as it is shown to people.
func (c configChange) apply(ctx context.Context, i *injection, resources []resource) (map[resource]string, error) {
	before := map[resource]string{}
	for _, r := range resources {
		for _, name := range slices.Sorted(maps.Keys(c.set)) {
			was, err := effective(ctx, i.field, r, name)
			if err != nil {
				return before, err
			}
			before[r] += fmt.Sprintf(", %s %s -> %s", name, was, c.set[name])
			if err := c.one(ctx, i, r, name); err != nil {
				return before, err
			}
		}
		before[r] = strings.TrimPrefix(before[r], ", ")
	}
	return before, nil
}

// one changes one setting, and notes how to put it back before it does.
func (c configChange) one(ctx context.Context, i *injection, r resource, name string) error {
	want, key := c.set[name], keyOn(i.field, r.String()+" "+name)
	claim, err := configValues.take(key, &want, func() (*string, error) {
		entry, err := describeConfig(ctx, i.field, r.nodes(i.field), r, name)
		return ownValue(r, entry), err
	})
	if err != nil {
		return err
	}
	var before *string
	var last bool
	i.undo.add(fmt.Sprintf("%s of %s", name, r), adminWithin, func(ctx context.Context) error {
		var err error
		last, err = configValues.give(claim, func(value *string) error {
			before = value // a broker's own settings can't be changed while it is down: it may be another fault's
			return until(ctx, func() error { return settle(ctx, i.field, r, name, value) })
		})
		return err
	})
	i.expect("settings as before", func(ctx context.Context) error {
		if !last || configValues.claimed(key) { // another fault's to look after
			return nil
		}
		return shows(ctx, i.field, r, name, before)
	})
	return settle(ctx, i.field, r, name, &want)
}
