package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
)

// clusterFlags say which cluster to start.
type clusterFlags struct {
	topologyFlags
	cluster, kafka, kafkaHome, image string
}

// runFlags are the flags of run.
type runFlags struct {
	clusterFlags
	seed       uint64
	duration   time.Duration
	rate       float64
	minISR     int
	pipelines  []string
	out        string
	keep, json bool
	suite      suiteFlags
}

func (f *clusterFlags) register(c *cobra.Command, a *app) {
	names := provider.Names(a.parts.providers)
	c.Flags().StringVar(&f.cluster, "cluster", provider.Auto, "what runs the cluster: "+usage.Names(names)+"; auto takes "+provider.AutoTakes(a.parts.providers))
	c.Flags().StringVar(&f.kafka, "kafka", a.parts.kafka, "Kafka version, instead of the experiment's")
	c.Flags().StringVar(&f.kafkaHome, "kafka-home", "", "a Kafka directory to take the jars from, instead of a version")
	c.Flags().StringVar(&f.image, "image", "", "the image to run Kafka from in containers (default: apache/kafka of the version)")
	f.topologyFlags.register(c)
	complete(c, "cluster", names)
	_ = c.MarkFlagDirname("kafka-home") // fails only for a flag that isn't there
}

func (f *runFlags) register(c *cobra.Command, a *app) {
	f.clusterFlags.register(c, a)
	f.suite.register(c, a)
	flags := c.Flags()
	flags.Uint64Var(&f.seed, "seed", defaultSeed, "what the schedule is drawn from")
	flags.DurationVar(&f.duration, "duration", 0, "how long the load lasts (default: the experiment's)")
	flags.Float64Var(&f.rate, "rate", 0, "records a second of each source (default: the experiment's)")
	flags.IntVar(&f.minISR, "min-isr", 0, "min.insync.replicas of the run's topics (default: the experiment's)")
	flags.StringSliceVar(&f.pipelines, "pipelines", nil, "the pipelines to run (default: the experiment's)")
	flags.StringVar(&f.out, "out", "runs", "the folder in which each run makes a folder of its own")
	flags.BoolVar(&f.keep, "keep", false, "leave the cluster running after the run, also when chaeos is killed in it (cluster down ends it)")
	flags.BoolVar(&f.json, "json", false, "print reports as JSON, one document a run")
	complete(c, "pipelines", a.pipelineNames())
	_ = c.MarkFlagDirname("out") // fails only for a flag that isn't there
}

func complete(c *cobra.Command, flag string, names []string) {
	// It fails only for a flag that isn't there.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

var kafkaVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[A-Za-z0-9.]+)?$`)

// request is the cluster to start.
func (f *clusterFlags) request() provider.Request {
	return provider.Request{Provider: f.cluster, Image: f.image, KafkaHome: f.kafkaHome}
}

// check refuses values that no run can be made of.
func (f *clusterFlags) check(c *cobra.Command, a *app) error {
	if c.Flags().Changed("kafka") && c.Flags().Changed("kafka-home") {
		return usage.Errorf("--kafka and --kafka-home exclude each other: a Kafka directory has a version of its own")
	}
	if err := f.topologyFlags.check(); err != nil {
		return err
	}
	if err := f.request().Check(a.parts.providers); err != nil {
		return err
	}
	if f.kafkaHome == "" && !kafkaVersion.MatchString(f.kafka) {
		return usage.Errorf("--kafka %q is not a Kafka version (write it like %s)", f.kafka, a.parts.kafka)
	}
	if f.kafkaHome == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Join(f.kafkaHome, "libs")); err != nil || !info.IsDir() {
		return usage.Errorf("--kafka-home %s is not a Kafka directory: it has no libs folder", f.kafkaHome)
	}
	return nil
}

func (f *runFlags) check(c *cobra.Command, a *app, runs int) error {
	if err := f.clusterFlags.check(c, a); err != nil {
		return err
	}
	changed := c.Flags().Changed
	switch {
	case changed("rate") && !(f.rate >= harness.MinRate && f.rate <= harness.MaxRate): // NaN is neither
		return usage.Errorf("--rate %v: give %g to %.0f records a second", f.rate, harness.MinRate, harness.MaxRate)
	case changed("duration") && (f.duration < harness.MinDuration || f.duration > harness.MaxDuration):
		return usage.Errorf("--duration %s: give %s to %s, for example 40s", f.duration, harness.MinDuration, harness.MaxDuration)
	case changed("min-isr") && (f.minISR < 1 || f.minISR > harness.MaxReplicas):
		return usage.Errorf("--min-isr %d: topics have %d replicas; give 1 to %d", f.minISR, harness.MaxReplicas, harness.MaxReplicas)
	case changed("pipelines") && len(f.pipelines) == 0:
		return usage.Errorf("--pipelines is empty: name at least one of %s", strings.Join(a.pipelineNames(), ", "))
	case f.out == "":
		return usage.Errorf("--out is empty: name a folder")
	case f.keep && runs > 1:
		return usage.Errorf("--keep leaves one cluster running: run one experiment at a time with it")
	}
	return f.checkPipelines(a)
}

func (f *runFlags) checkPipelines(a *app) error {
	for i, name := range f.pipelines {
		if err := usage.OneOf("pipeline", name, a.pipelineNames()); err != nil {
			return err
		}
		if slices.Contains(f.pipelines[:i], name) {
			return usage.Errorf("--pipelines names %s twice", name)
		}
	}
	return nil
}

// override replaces the experiment's own values by the flags that were given.
func (f *runFlags) override(c *cobra.Command, e *harness.Experiment) error {
	if c.Flags().Changed("rate") {
		e.Load.Rate = f.rate
	}
	if c.Flags().Changed("duration") {
		e.Load.Duration = f.duration
	}
	if c.Flags().Changed("pipelines") {
		e.Pipelines = f.pipelines
	}
	if c.Flags().Changed("min-isr") {
		e.Cluster.MinISR = f.minISR
	}
	return f.apply(c.Flags(), &e.Cluster)
}

// version is the Kafka version to run: the flag's if it was given, else the experiment's, else the default.
func (f *runFlags) version(c *cobra.Command, e harness.Experiment) string {
	if c.Flags().Changed("kafka") || e.Cluster.Kafka == "" {
		return f.kafka
	}
	return e.Cluster.Kafka
}

// overrides are the flags that changed the experiment, for the run's record.
func (f *runFlags) overrides(c *cobra.Command) map[string]string {
	out := map[string]string{}
	c.Flags().Visit(func(flag *pflag.Flag) {
		f.record(flag, out)
		switch flag.Name {
		case "rate":
			out[flag.Name] = fmt.Sprint(f.rate)
		case "duration":
			out[flag.Name] = f.duration.String()
		case "kafka":
			out[flag.Name] = f.kafka
		case "min-isr":
			out[flag.Name] = fmt.Sprint(f.minISR)
		case "pipelines":
			out[flag.Name] = strings.Join(f.pipelines, ",")
		}
	})
	return out
}
