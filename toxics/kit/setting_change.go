package kit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/toxics/admin"
	"github.com/chaeos/chaeos/toxics/inject"
)

// settings are the settings that faults change; nil is a setting without a value of its own.
func settings(f *harness.Field) claims.Things[*string] {
	return claims.Of[*string](f.Claims, "setting")
}

// SettingChange sets values of topics or brokers, and puts back what was there.
type SettingChange struct {
	Set map[string]string
}

func (c SettingChange) String() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		texts = append(texts, name+"="+c.Set[name])
	}
	return strings.Join(texts, ", ")
}

// Apply changes every setting of every resource, and returns for people what changed of each: "retention.ms 5 -> 6".
func (c SettingChange) Apply(ctx context.Context, i *inject.Injection, resources []admin.Resource) (map[admin.Resource]string, error) {
	before := map[admin.Resource]string{}
	for _, r := range resources {
		for _, name := range slices.Sorted(maps.Keys(c.Set)) {
			was, err := admin.InForce(ctx, i.Field, r, name)
			if err != nil {
				return before, err
			}
			before[r] += fmt.Sprintf(", %s %s -> %s", name, was, c.Set[name])
			if err := c.one(ctx, i, r, name); err != nil {
				return before, err
			}
		}
		before[r] = strings.TrimPrefix(before[r], ", ")
	}
	return before, nil
}

// one notes how to put one setting back, and changes it.
func (c SettingChange) one(ctx context.Context, i *inject.Injection, r admin.Resource, name string) error {
	want, what, values := c.Set[name], fmt.Sprintf("%s of %s", name, r), settings(i.Field)
	claim, err := values.Take(what, &want, func() (*string, error) {
		entry, err := admin.DescribeSetting(ctx, i.Field, r.Nodes(i.Field), r, name)
		return admin.OwnValue(r, entry), err
	})
	if err != nil {
		return err
	}
	var before *string
	var last bool
	i.Undo.Add(what, admin.HealWithin, func(ctx context.Context) error {
		var err error
		last, err = values.Give(claim, func(value *string) error {
			before = value // repeated, for another fault may have the broker down, and only a broker changes its own settings
			return admin.Until(ctx, func() error { return admin.Apply(ctx, i.Field, r, name, value) })
		})
		return err
	})
	i.Expect("settings as before", func(ctx context.Context) error {
		if !last || values.Claimed(what) { // another fault looks after it
			return nil
		}
		return admin.Shows(ctx, i.Field, r, name, before)
	})
	return admin.Apply(ctx, i.Field, r, name, &want)
}
