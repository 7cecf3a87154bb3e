package toxics

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
)

// settings are those that faults change: nil is a setting that had no value of its own.
func settings(f *harness.Field) claims.Things[*string] {
	return claims.Of[*string](f.Claims, "setting")
}

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
	want, what, values := c.set[name], fmt.Sprintf("%s of %s", name, r), settings(i.field)
	claim, err := values.Take(what, &want, func() (*string, error) {
		entry, err := describeConfig(ctx, i.field, r.nodes(i.field), r, name)
		return ownValue(r, entry), err
	})
	if err != nil {
		return err
	}
	var before *string
	var last bool
	i.undo.add(what, adminWithin, func(ctx context.Context) error {
		var err error
		last, err = values.Give(claim, func(value *string) error {
			before = value // a broker's own settings can't be changed while it is down: it may be another fault's
			return until(ctx, func() error { return settle(ctx, i.field, r, name, value) })
		})
		return err
	})
	i.expect("settings as before", func(ctx context.Context) error {
		if !last || values.Claimed(what) { // another fault's to look after
			return nil
		}
		return shows(ctx, i.field, r, name, before)
	})
	return settle(ctx, i.field, r, name, &want)
}
