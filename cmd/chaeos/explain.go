package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/chaeos/chaeos/cmd/chaeos/usage"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// explainers are what explain asks of the verifier: what happened to a record, or to a kind's first anomalies.
type explainers struct {
	one       func(dir, record, pipeline string) (*harness.RecordLife, error)
	anomalies func(dir string, kinds []harness.AnomalyKind, most int, pipeline string) ([]*harness.RecordLife, error)
}

// anomalyFlags are the kinds that can be asked for, as their flags are named.
var anomalyFlags = []struct {
	flag string
	kind harness.AnomalyKind
	help string
}{
	{"dup", harness.AnomalyDuplicate, "records that are visible more than once"},
	{"lost", harness.AnomalyLost, "records that are lost"},
	{"torn", harness.AnomalyTorn, "transactions that took effect in part, each by its first record"},
	{"aborted-seen", harness.AnomalyAbortedSeen, "aborted transactions that are visible, each by its first record"},
	{"phantom", harness.AnomalyPhantom, "visible records that were reported as failed"},
	{"unprocessed", harness.AnomalyUnprocessed, "records that no commit passed and no output shows"},
	{"hidden", harness.AnomalyHidden, "records behind a transaction that is still open"},
}

type explainFlags struct {
	json     bool
	most     int
	pipeline string
	wanted   []bool
}

func (a *app) explainCommand() *cobra.Command {
	f := explainFlags{wanted: make([]bool, len(anomalyFlags))}
	c := &cobra.Command{
		Use:   "explain [DIR] [RECORD]",
		Short: "Show what happened to one record of a saved run, or to its first anomalies",
		Long: `Show what happened to one record, from a run's folder alone and in time order: which source sent it and when it was
acknowledged, which worker polled it and in which transaction, every copy in the logs with its batch's header, the commits
that passed it, and the faults that were active.

A record is a sequence (4711), source/sequence (1/4711), or an offset in a log (input/0@90, acks1/0@90; a topic's full
name works too). Instead of a record, name a kind of anomaly. Without a folder it is the last run in runs.`,
		Args: func(_ *cobra.Command, args []string) error { return f.checkArgs(args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(c *cobra.Command, args []string) error {
			args, err := a.explained(c, args, f)
			if err != nil {
				return err
			}
			lives, err := a.explain(args, f)
			if err != nil {
				return err
			}
			return a.tell(lives, f)
		},
	}
	flags := c.Flags()
	for i, x := range anomalyFlags {
		flags.BoolVar(&f.wanted[i], x.flag, false, x.help)
	}
	flags.IntVarP(&f.most, "number", "k", 1, "how many anomalies of a kind")
	flags.StringVar(&f.pipeline, "pipeline", "", "only what happened in this pipeline")
	flags.BoolVar(&f.json, "json", false, "print JSON, one document a record")
	return c
}

func (f *explainFlags) kinds() (kinds []harness.AnomalyKind) {
	for i, x := range anomalyFlags {
		if f.wanted[i] {
			kinds = append(kinds, x.kind)
		}
	}
	return kinds
}

func (f *explainFlags) checkArgs(args []string) error {
	byKind := len(f.kinds()) > 0
	switch {
	case len(args) > 2:
		return usage.Errorf("explain takes a run's folder and a record, and was given %d arguments", len(args))
	case len(args) == 2 && byKind:
		return usage.Errorf("explain takes a record or a kind of anomaly, not both")
	case len(args) == 0 && !byKind, len(args) == 1 && !byKind && isRun(args[0]):
		return usage.Errorf("explain takes a record (4711, 1/4711 or input/0@90) or a kind of anomaly (--dup, --lost, --torn …)")
	case f.most < 1:
		return usage.Errorf("-k must be at least 1")
	}
	return nil
}

// explained puts the last run before what is asked of a run that is not named.
func (a *app) explained(c *cobra.Command, args []string, f explainFlags) ([]string, error) {
	if len(args) == 2 || len(args) == 1 && len(f.kinds()) > 0 {
		return args, nil
	}
	last, err := a.orLastRun(c, nil)
	return append(last, args...), err
}

func (a *app) explain(args []string, f explainFlags) ([]*harness.RecordLife, error) {
	if !isRun(args[0]) {
		return nil, usage.Errorf("%s is not a run's folder: it has no %s (name a folder that chaeos run made)", args[0], harness.RecordFile)
	}
	if kinds := f.kinds(); len(kinds) > 0 {
		return a.parts.explain.anomalies(args[0], kinds, f.most, f.pipeline)
	}
	life, err := a.parts.explain.one(args[0], args[1], f.pipeline)
	if err != nil {
		return nil, err
	}
	return []*harness.RecordLife{life}, nil
}

func (a *app) tell(lives []*harness.RecordLife, f explainFlags) error {
	if f.json {
		return results.LivesJSON(a.stdout, lives)
	}
	if len(lives) == 0 {
		for _, kind := range f.kinds() {
			fmt.Fprintf(a.stdout, "%s: none\n", kind)
		}
		return nil
	}
	return results.Lives(a.stdout, lives)
}
