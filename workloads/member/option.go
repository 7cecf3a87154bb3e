package member

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Option is one setting of a pipeline that an experiment can change.
type Option struct {
	Name, Default, About string
	// Values are the words that it takes. Without any it takes a duration or a share from 0 to 1, as its default is.
	Values []string
}

// Options are all options of a pipeline.
type Options []Option

// Check returns what is wrong with settings of a pipeline that has these options, or nil.
func (all Options) Check(pipeline string, set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i := slices.IndexFunc(all, func(o Option) bool { return o.Name == name })
		if i < 0 {
			return fmt.Errorf("pipeline %s has no option %q (%s)", pipeline, name, all.names())
		}
		if err := all[i].check(set[name]); err != nil {
			return fmt.Errorf("pipeline %s: %w", pipeline, err)
		}
	}
	return nil
}

// WithDefaults returns the settings, and the default of every option that they don't set.
func (all Options) WithDefaults(set map[string]string) map[string]string {
	whole := map[string]string{}
	for _, o := range all {
		whole[o.Name] = o.Default
	}
	maps.Copy(whole, set)
	return whole
}

func (all Options) names() string {
	var names []string
	for _, o := range all {
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
