package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/clusters/proxies"
	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/catalogue"
	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
	"github.com/chaeos/chaeos/toxics/target"
	"github.com/chaeos/chaeos/triggers"
	"github.com/chaeos/chaeos/verifiers"
	"github.com/chaeos/chaeos/verifiers/evidence"
	"github.com/chaeos/chaeos/verifiers/explain"
	"github.com/chaeos/chaeos/verifiers/jepsen"
	"github.com/chaeos/chaeos/verifiers/observe"
	"github.com/chaeos/chaeos/verifiers/readback"
	"github.com/chaeos/chaeos/workloads"
)

// rooms fills in what the command needs of the project's other rooms: the only place that knows them all.
func rooms() parts {
	self := []string{executable()}
	return parts{
		version:     version(),
		self:        self,
		kafka:       local.DefaultKafka,
		pipelines:   workloads.Infos(),
		experiments: catalogue.All,
		open:        catalogue.Open,
		concrete:    catalogue.Concrete,
		show:        catalogue.Show,
		providers:   provider.All(),
		run:         runIn(self),
		judge:       verifiers.Judge,
		page:        writePage,
		explain:     explainers{one: explainOne, anomalies: explain.Anomalies},
		files:       exports{evidence: evidence.Write, export: evidence.Export, jepsen: jepsen.Export},
		clusters:    keptClusters(self),
		byHand:      faultsByHand(),
		triggers:    listedTriggers(),
		suites:      suites{names: catalogue.SuiteNames(), find: findSuite, do: runChild(self)},
		facts: func(ctx context.Context) []provider.Fact {
			return provider.Facts(ctx, provider.All(), provider.Machine{
				Cache: local.DefaultCache(), Kafka: local.DefaultKafka, Binary: self[0],
			})
		},
		keeper: func(ctx context.Context, in io.Reader, out io.Writer) error {
			kafkatoxic.Register()
			return local.RunKeeper(ctx, in, out, provider.PrepareLink)
		},
		worker: workloads.RunProcess,
		toxiproxy: func(ctx context.Context, address string, log io.Writer) error {
			kafkatoxic.Register()
			return proxies.Run(ctx, address, log)
		},
	}
}

// listedTriggers are the triggers, each with how it is written and what it waits for.
func listedTriggers() (rows [][]string) {
	for _, k := range triggers.All() {
		rows = append(rows, []string{k.Name + ": " + k.Sign, k.About})
	}
	return rows
}

func findSuite(name string) (experiments []string, repeat int, err error) {
	s, err := catalogue.FindSuite(name)
	return s.Experiments, s.Repeat, err
}

// judgeAndKeep judges a run and leaves the evidence in its folder. A report without its files is still the report.
func judgeAndKeep(dir string) (*harness.Report, error) {
	report, err := verifiers.Judge(dir)
	if err != nil {
		return nil, err
	}
	if err := evidence.Write(dir, report); err != nil { // the verdict is right without them, on a full disk for example
		slog.Warn("the evidence files are not whole", "error", err)
	}
	return report, nil
}

func explainOne(dir, record, pipeline string) (*harness.RecordLife, error) {
	ref, err := explain.ParseRef(record)
	if err != nil {
		return nil, err
	}
	return explain.Of(dir, ref, pipeline)
}

// executable is the path to run this program by again.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

func runIn(self []string) func(context.Context, runRequest) (*harness.Outcome, error) {
	return func(ctx context.Context, r runRequest) (*harness.Outcome, error) {
		chosen, err := provider.Choose(ctx, provider.All(), r.cluster, self)
		if err != nil {
			return nil, err
		}
		chosen.Announce(r.terminal.Note)
		ends := &ready{}
		defer ends.close()
		return harness.Run(ctx, harness.Rooms{
			Provider:    chosen.Provider,
			NewFleet:    func(spec harness.FleetSpec) (harness.Fleet, error) { return workloads.NewFleet(spec) },
			NewObserver: func(spec harness.ObserverSpec) (harness.Observer, error) { return observe.New(spec), nil },
			Infos:       workloads.Infos(),
			Settled:     ends.settled,
			Drained:     ends.drained,
			ReadBack:    readback.Run,
			Judge:       judgeAndKeep,
			Terminal:    r.terminal,
		}, r.spec)
	}
}

func faultsByHand() byHand {
	h := byHand{targets: target.Forms(), check: catalogue.ByHand, inject: harness.Inject}
	for _, k := range toxics.All() {
		help := faultHelp{name: k.Name, about: k.About, hits: k.Hits.String()}
		for _, o := range k.Options {
			help.options = append(help.options, [2]string{o.Name, o.About})
		}
		h.kinds = append(h.kinds, help)
	}
	return h
}

func keptClusters(self []string) clusters {
	return clusters{
		up: func(ctx context.Context, r provider.Request, spec harness.ClusterSpec) (harness.Cluster, error) {
			chosen, err := provider.Choose(ctx, provider.All(), r, self)
			if err != nil {
				return nil, err
			}
			chosen.Announce(spec.Progress)
			return chosen.Provider.Start(ctx, spec)
		},
		attach: func(ctx context.Context) (harness.Cluster, error) { return provider.Attach(ctx, provider.All()) },
		prune:  func(ctx context.Context, all bool) ([]string, error) { return provider.Prune(ctx, provider.All(), all) },
	}
}
