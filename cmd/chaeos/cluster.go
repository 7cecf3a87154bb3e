package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/results"
)

// clusters keeps clusters that outlive the command that started them.
type clusters struct {
	// up starts a cluster that stays.
	up func(ctx context.Context, r provider.Request, spec harness.ClusterSpec) (harness.Cluster, error)
	// attach finds the cluster that is up; its error is provider.ErrNoCluster if there is none.
	attach func(ctx context.Context) (harness.Cluster, error)
	// prune removes what killed runs left, and returns what that was; with all, also clusters that run.
	prune func(ctx context.Context, all bool) ([]string, error)
}

func (a *app) clusterCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cluster",
		Short: "Keep a cluster running to play with, behind its proxies",
		Args:  subcommand,
		RunE:  help,
	}
	c.AddCommand(a.clusterUpCommand(), a.clusterDownCommand(), a.clusterStatusCommand(), a.clusterPruneCommand())
	return c
}

func (a *app) clusterUpCommand() *cobra.Command {
	var f clusterFlags
	c := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster and leave it running",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, a); err != nil {
				return err
			}
			return a.clusterUp(c.Context(), c.Flags(), f)
		},
	}
	f.register(c, a)
	return c
}

func (a *app) clusterUp(ctx context.Context, flags *pflag.FlagSet, f clusterFlags) error {
	var needs harness.ClusterNeeds
	if err := f.apply(flags, &needs); err != nil {
		return err
	}
	term := a.terminal()
	defer term.Close()
	ctx, stop := a.interruptible(ctx, term)
	defer stop()
	term.Phase("cluster", "")
	cluster, err := a.parts.clusters.up(ctx, f.request(), harness.ClusterSpec{
		Kafka: f.kafka, KafkaHome: f.kafkaHome, Detach: true,
		Topology: needs.Topology, Features: needs.Features, Properties: needs.Properties,
		Progress: func(text string) { term.Live(text, 0, 0) },
	})
	term.Close()
	if err != nil {
		return orInterrupted(ctx, err)
	}
	if err := a.describeCluster(ctx, cluster, false); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, "\nend it with: chaeos cluster down")
	return err
}

func (a *app) clusterDownCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End the cluster that is up, and remove what it left",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cluster, err := a.parts.clusters.attach(c.Context())
			if errors.Is(err, provider.ErrNoCluster) {
				_, err := fmt.Fprintln(a.stdout, "no cluster is up")
				return err
			}
			if err != nil {
				return err
			}
			if err := cluster.Close(c.Context()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.stdout, "the cluster is down")
			return err
		},
	}
}

func (a *app) clusterStatusCommand() *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the cluster that is up: brokers, addresses, proxies",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cluster, err := a.parts.clusters.attach(c.Context())
			if err != nil {
				return err
			}
			return a.describeCluster(c.Context(), cluster, json)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print JSON")
	return c
}

func (a *app) clusterPruneCommand() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "prune",
		Short: "Remove what killed runs left behind: containers, networks, folders",
		Long: `Remove what runs left behind that were killed: containers and networks by their labels, folders by their locks. The
next run does the same by itself. With --all it also ends every cluster of containers there is, used or not.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			removed, err := a.parts.clusters.prune(c.Context(), all)
			for _, what := range removed {
				fmt.Fprintln(a.stdout, "removed", what)
			}
			if len(removed) == 0 && err == nil {
				fmt.Fprintln(a.stdout, "nothing was left behind")
			}
			return err
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also clusters of containers that run or are to stay")
	return c
}

// clusterStatus is a running cluster as status prints it.
type clusterStatus struct {
	harness.ClusterInfo
	State []harness.NodeStatus `json:"state"`
	Links []harness.Link       `json:"links"`
}

func (a *app) describeCluster(ctx context.Context, cluster harness.Cluster, asJSON bool) error {
	nodes, err := cluster.Status(ctx)
	if err != nil {
		return err
	}
	status := clusterStatus{cluster.Info(), nodes, cluster.Links()}
	if asJSON {
		return results.EncodeJSON(a.stdout, status)
	}
	return status.print(a.stdout)
}

// keptBy is what keeps the cluster.
func (s clusterStatus) keptBy() string {
	if s.Image != "" {
		return ", in containers of " + s.Image
	}
	return fmt.Sprintf(", kept by process %d", s.KeeperPid)
}

func (s clusterStatus) print(w io.Writer) error {
	var b strings.Builder
	lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(lines, "cluster\t%s, Kafka %s%s\n", s.Provider, s.Kafka, s.keptBy())
	fmt.Fprintf(lines, "bootstrap\t%s\n", strings.Join(s.Bootstrap, ","))
	fmt.Fprintf(lines, "toxiproxy\t%s\n", s.ToxiproxyAPI)
	if s.DataDir != "" {
		fmt.Fprintf(lines, "data\t%s\n", s.DataDir)
	}
	for _, n := range s.State {
		state := string(n.State)
		if n.Unplanned {
			state += ", unplanned: " + n.Reason
		}
		role := "broker"
		if !s.Topology.IsBroker(n.Node) {
			role = "controller"
		}
		fmt.Fprintf(lines, "%s %d\t%s, process %d\n", role, n.Node, state, n.Pid)
	}
	for _, l := range s.Links {
		fmt.Fprintf(lines, "link %s\t%s => %d at %s (%s)\n", l.Proxy, l.From, l.To, l.Listen, l.Kind)
	}
	_ = lines.Flush() // the writer below is in memory
	_, err := io.WriteString(w, b.String())
	return err
}
