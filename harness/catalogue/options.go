package catalogue

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/chaeos/chaeos/workloads"
)

// options reads settings of single pipelines, by pipeline and option.
func (d *decoder) options(f field, pipelines []string) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, p := range d.entries(f.value, "from pipeline to options") {
		if !slices.Contains(pipelines, p.name) {
			d.fail(p.key, "the experiment has no pipeline %q (there are: %s)", p.name, strings.Join(pipelines, ", "))
			return nil
		}
		set := map[string]string{}
		for _, o := range d.entries(p.value, "from option to value") {
			scalar, ok := o.value.(ast.ScalarNode)
			if !ok {
				d.fail(o.key, "expected a value for %s, not %s", o.name, kindOf(o.value))
				return nil
			}
			set[o.name] = scalar.GetToken().Value
			if err := workloads.CheckOptions(p.name, map[string]string{o.name: set[o.name]}); err != nil {
				d.fail(first(o.value), "%v", err)
				return nil
			}
		}
		if err := workloads.CheckOptions(p.name, set); err != nil {
			d.fail(p.key, "%v", err)
			return nil
		}
		out[p.name] = set
	}
	return out
}
