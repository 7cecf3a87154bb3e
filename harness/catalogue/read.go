package catalogue

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the figures that have limits
)

// document is an experiment as it is in its file, before anything was drawn.
type document struct {
	exp             harness.Experiment
	allowQuorumLoss bool
	faults          []entry
}

// The defaults of fields that a file leaves out.
const (
	defaultRate       = 400
	defaultRecordSize = 100
	defaultWorkers    = 2
	defaultMinISR     = 2
	defaultPartitions = 3
)

var kafkaVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[A-Za-z0-9.]+)?$`)

var experimentName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,99}$`)

// read decodes and checks a file.
func read(file string, source []byte, known []harness.PipelineInfo) (*document, error) {
	d := &decoder{file: file}
	doc := &document{exp: harness.Experiment{
		Source: string(source), Workers: defaultWorkers, Shared: harness.DefaultShared(), Bounds: harness.DefaultBounds(),
		Load:    harness.Load{Rate: defaultRate, RecordSize: defaultRecordSize},
		Cluster: harness.ClusterNeeds{MinISR: defaultMinISR, Partitions: defaultPartitions},
	}}
	if root := d.root(source); d.err == nil {
		d.experiment(root, doc, known)
	}
	if d.err != nil {
		return nil, d.err
	}
	return doc, nil
}

func (d *decoder) experiment(root ast.Node, doc *document, known []harness.PipelineInfo) {
	fields := d.fields(root, "with an experiment", "name", "summary", "about", "pipelines", "load", "workers", "shared",
		"options", "cluster", "bounds", "allow-quorum-loss", "faults", "expect")
	d.require(root, fields, "name", "summary", "pipelines", "load")
	exp := &doc.exp
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch f := fields[name]; name {
		case "name":
			if exp.Name = d.text(f); !experimentName.MatchString(exp.Name) {
				d.fail(first(f.value), "expected a name of at most 100 small letters, digits and dashes, not %q", exp.Name)
			}
		case "summary":
			exp.Summary = d.text(f)
		case "about":
			exp.About = d.text(f)
		case "pipelines":
			exp.Pipelines = d.pipelines(f, known)
		case "load":
			d.load(f, &exp.Load)
		case "workers":
			exp.Workers = d.integer(f, 1, 16)
		case "shared":
			d.shared(f, &exp.Shared)
		case "cluster":
			d.cluster(f, &exp.Cluster)
		case "bounds":
			d.bounds(f, &exp.Bounds)
		case "allow-quorum-loss":
			doc.allowQuorumLoss = d.boolean(f)
		}
	}
	if f, ok := fields["options"]; ok { // needs the pipelines
		exp.Options = d.options(f, exp.Pipelines)
	}
	if f, ok := fields["expect"]; ok { // needs the pipelines
		exp.Expect, exp.Limits = d.expect(f, rowsOf(exp.Pipelines, known))
	}
	if f, ok := fields["faults"]; ok && d.err == nil { // needs all the rest
		d.schedule(f, doc)
	}
}

func (d *decoder) pipelines(f field, known []harness.PipelineInfo) []string {
	var names, out []string
	for _, info := range known {
		names = append(names, info.Name)
	}
	for _, item := range d.list(f) {
		name := d.text(item)
		if !slices.Contains(names, name) {
			d.fail(item.key, "unknown pipeline %q (%s)", name, suggest(name, names))
		}
		if slices.Contains(out, name) {
			d.fail(item.key, "pipeline %q is named twice", name)
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		d.fail(f.key, "expected at least one pipeline")
	}
	return out
}

func (d *decoder) load(f field, load *harness.Load) {
	fields := d.fields(f.value, "with the load", "rate", "duration", "record-size", "burst", "burst-every")
	d.require(f.value, fields, "duration")
	if v, ok := fields["rate"]; ok {
		load.Rate = d.number(v, harness.MinRate, harness.MaxRate)
	}
	if v, ok := fields["duration"]; ok {
		load.Duration = d.duration(v, harness.MinDuration, harness.MaxDuration)
	}
	if v, ok := fields["record-size"]; ok {
		load.RecordSize = d.integer(v, history.OutputSize, 1<<20)
	}
	burst, bursts := fields["burst"]
	every, repeated := fields["burst-every"]
	if bursts != repeated {
		d.fail(f.key, "burst and burst-every go together")
	}
	if bursts {
		load.Burst = d.integer(burst, 1, 1e6)
	}
	if repeated {
		load.BurstEvery = d.duration(every, 100*time.Millisecond, time.Hour)
	}
}

func (d *decoder) shared(f field, shared *harness.Shared) {
	fields := d.fields(f.value, "with client settings", "work", "session-timeout", "transaction-timeout", "max-poll-records",
		"linger", "metadata-max-age", "metadata-min-age", "auto-commit-interval")
	into := map[string]*time.Duration{
		"work": &shared.Work, "linger": &shared.Linger, "session-timeout": &shared.SessionTimeout,
		"transaction-timeout": &shared.TransactionTimeout, "metadata-max-age": &shared.MetadataMaxAge,
		"metadata-min-age": &shared.MetadataMinAge, "auto-commit-interval": &shared.AutoCommitInterval,
	}
	for name, v := range fields {
		if place, ok := into[name]; ok {
			*place = d.duration(v, 0, 15*time.Minute)
		}
	}
	if v, ok := fields["max-poll-records"]; ok {
		shared.MaxPollRecords = d.integer(v, 1, 1e6)
	}
}

func (d *decoder) cluster(f field, needs *harness.ClusterNeeds) {
	fields := d.fields(f.value, "with what the cluster needs", "brokers", "controllers", "racks", "kafka", "min-isr",
		"partitions", "features", "properties")
	d.topology(fields, &needs.Topology)
	if v, ok := fields["kafka"]; ok {
		if needs.Kafka = d.text(v); !kafkaVersion.MatchString(needs.Kafka) {
			d.fail(first(v.value), "expected a Kafka version like 4.3.1, not %q", needs.Kafka)
		}
	}
	if v, ok := fields["min-isr"]; ok {
		needs.MinISR = d.integer(v, 1, harness.MaxReplicas)
	}
	if v, ok := fields["partitions"]; ok {
		needs.Partitions = d.integer(v, 1, 100)
	}
	if v, ok := fields["features"]; ok {
		for _, e := range d.entries(v.value, "from feature to level") {
			needs.Features = append(needs.Features, harness.Feature{Name: e.name, Level: int16(d.integer(e, 0, math.MaxInt16))})
		}
	}
	if v, ok := fields["properties"]; ok {
		needs.Properties = map[string]string{}
		for _, e := range d.entries(v.value, "from broker property to value") {
			scalar, ok := e.value.(ast.ScalarNode)
			if !ok {
				d.fail(e.key, "expected a value for %s, not %s", e.name, kindOf(e.value))
				continue
			}
			needs.Properties[e.name] = scalar.GetToken().Value
		}
	}
}

// topology reads the cluster's shape.
func (d *decoder) topology(fields map[string]field, t *harness.Topology) {
	if v, ok := fields["brokers"]; ok {
		t.Brokers = d.integer(v, harness.DefaultBrokers, harness.MostBrokers)
	}
	if v, ok := fields["controllers"]; ok {
		t.Controllers = d.integer(v, 0, harness.MostBrokers)
	}
	if v, ok := fields["racks"]; ok {
		for _, rack := range d.list(v) {
			t.Racks = append(t.Racks, d.text(rack))
		}
	}
	if err := t.Check(); err != nil && d.err == nil {
		for _, name := range []string{"racks", "controllers", "brokers"} {
			if v, ok := fields[name]; ok {
				d.fail(first(v.value), "%v", err)
				return
			}
		}
	}
}

func (d *decoder) bounds(f field, bounds *harness.Bounds) {
	fields := d.fields(f.value, "with bounds", "min-before", "min-after", "min-offered", "stall-threshold")
	into := map[string]*uint64{
		"min-before": &bounds.MinBefore, "min-after": &bounds.MinAfter, "min-offered": &bounds.MinOffered,
	}
	for name, v := range fields {
		if place, ok := into[name]; ok {
			*place = uint64(d.integer(v, 0, math.MaxInt32))
		}
	}
	if v, ok := fields["stall-threshold"]; ok {
		bounds.StallThreshold = d.duration(v, 300*time.Millisecond, time.Hour)
	}
}

// rowsOf are the rows of which something can be expected: the pipelines, and the shared source where one of them reads it.
func rowsOf(pipelines []string, known []harness.PipelineInfo) []string {
	there := slices.DeleteFunc(slices.Clone(known), func(p harness.PipelineInfo) bool { return !slices.Contains(pipelines, p.Name) })
	if harness.ReadsSharedInput(there) {
		return append(slices.Clone(pipelines), harness.SourceRow)
	}
	return pipelines
}

func (d *decoder) expect(f field, named []string) (map[string]map[harness.Guarantee]harness.Expectation, map[string][]harness.Limit) {
	out, limits := map[string]map[harness.Guarantee]harness.Expectation{}, map[string][]harness.Limit{}
	for _, p := range d.entries(f.value, "from pipeline to guarantee") {
		if !slices.Contains(named, p.name) {
			d.fail(p.key, "the experiment has no pipeline %q (%s)", p.name, suggest(p.name, named))
		}
		out[p.name] = map[harness.Guarantee]harness.Expectation{}
		for _, g := range d.entries(p.value, "from guarantee to expectation") {
			expectation, err := harness.ParseExpectation(d.text(g))
			if err != nil {
				d.fail(first(g.value), "%v", err)
			}
			if harness.IsLimit(g.name) {
				limits[p.name] = append(limits[p.name], d.limit(g, expectation))
				continue
			}
			guarantee, err := harness.ParseGuarantee(g.name)
			if err != nil {
				d.fail(g.key, "%v", err)
			}
			out[p.name][guarantee] = expectation
		}
	}
	return out, limits
}

func (d *decoder) limit(g field, expectation harness.Expectation) harness.Limit {
	l, err := harness.ParseLimit(g.name)
	if err != nil {
		d.fail(g.key, "%v", err)
	}
	l.Expected = expectation
	return l
}
