package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/clusters/ready"
	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/harness/wait"
)

// Why a keeper ends.
var (
	errStarterGone = errors.New("the process that started this cluster is gone")
	errClosed      = errors.New("closed by command")
	errFolderGone  = errors.New("the cluster's folder was removed")
)

// The cluster's folder: how its name begins, and the socket in it.
const (
	clusterKind  = "cluster"
	keeperSocket = "k.sock"
)

// teardownWithin bounds the end of a cluster: SIGKILL, reap, remove.
const teardownWithin = 15 * time.Second

// RunKeeper is all that a keeper does. It reads a plan from in, starts Toxiproxy and the brokers, reports to its starter on
// out, and serves commands on a unix socket until one closes it, ctx ends, or in ends (unless it is detached). Then it
// kills every broker, removes the cluster's folder and returns. It returns an error if the cluster did not start.
//
// It must be the process's only work: a lock on the cluster's folder and the brokers end with the process.
// Prepare may be nil.
func RunKeeper(ctx context.Context, in io.Reader, out io.Writer, prepare PrepareLink) error {
	// A starter that was killed closes our output too; writing to it must not end this process before it has cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	decoder := json.NewDecoder(in)
	var p plan
	if err := decoder.Decode(&p); err != nil {
		return fmt.Errorf("keeper: read the plan: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watchStarter(io.MultiReader(decoder.Buffered(), in), cancel)

	k := &keeper{plan: p, events: json.NewEncoder(out), prepare: prepare, end: cancel}
	err := k.start(ctx)
	if err == nil {
		k.tell(event{Ready: k.describe()})
		k.watchFolder(ctx, lookEvery)
		slog.Info("keeper ends", "because", context.Cause(ctx))
	}
	teardownErr := k.teardown()
	if k.api != nil {
		k.finishAnswers()
	}
	if err != nil {
		k.tell(event{Failure: asStartError(err)})
	}
	return errors.Join(err, teardownErr)
}

// watchStarter ends the cluster when its starter's end of the pipe closes, unless the starter asked to detach.
func watchStarter(in io.Reader, end context.CancelCauseFunc) {
	said, _ := io.ReadAll(in)
	if !strings.HasSuffix(string(said), detachWord) {
		end(errStarterGone)
	}
}

// lookEvery is how often a keeper looks whether its folder is still there.
const lookEvery = 5 * time.Second

// watchFolder waits for the end of ctx, and ends the cluster when somebody removes its folder, as what tidies temporary folders
// does after days: no command could find the cluster any more, and its brokers would run without files.
func (k *keeper) watchFolder(ctx context.Context, every time.Duration) {
	err := wait.Poll(ctx, every, func() (bool, error) { return k.folder.Gone(), nil })
	if err == nil {
		k.end(errFolderGone)
	}
	<-ctx.Done()
}

func asStartError(err error) *StartError {
	var start *StartError
	if errors.As(err, &start) {
		return start
	}
	return &StartError{Why: err.Error()}
}

// keeper owns the processes and proxies of one cluster.
type keeper struct {
	plan    plan
	events  *json.Encoder
	prepare PrepareLink
	end     context.CancelCauseFunc

	folder    *scratch.Folder
	dir       string // the folder's path
	clusterID string
	layout    layout
	proxies   *links
	nodes     []*node
	api       *api

	once        sync.Once
	teardownErr error
}

// tell sends an event; a starter that doesn't listen any more is no reason to stop.
func (k *keeper) tell(e event) { _ = k.events.Encode(e) }

// start brings everything up; what it started is in k even if it fails, for teardown.
func (k *keeper) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, k.plan.ReadyWithin, fmt.Errorf("not ready within %s", k.plan.ReadyWithin))
	defer cancel()
	var err error
	if k.folder, err = scratch.Make(ctx, k.plan.RuntimeRoot, clusterKind); err != nil {
		return err
	}
	k.folder.Keep()
	k.dir = k.folder.Path
	k.tell(event{Dir: k.dir})
	if err := k.openProxies(ctx); err != nil {
		return err
	}
	k.tell(event{Progress: "starting " + k.plan.Topology.String()})
	if err := k.startNodes(ctx, false); err != nil {
		return err
	}
	if err := k.awaitReady(ctx); err != nil {
		return err
	}
	k.api, err = serveAPI(filepath.Join(k.dir, keeperSocket), k)
	return err
}

func (k *keeper) openProxies(ctx context.Context) error {
	var listener net.Listener
	var err error
	if k.layout, listener, err = reserve(k.plan.Topology); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(k.plan.LogDir, "toxiproxy.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if k.proxies, err = serveProxies(k.layout, listener, log, k.prepare); err != nil {
		return err
	}
	// Counted as long as the keeper runs, also while a cancelled start is being torn down.
	go k.proxies.Count(context.WithoutCancel(ctx))
	return k.proxies.openNodeLinks()
}

// startNodes lays out the nodes' folders and starts their processes. Bare nodes dial each other without proxies.
func (k *keeper) startNodes(ctx context.Context, bare bool) error {
	kafka := k.plan.Kafka
	k.clusterID = newID()
	for _, id := range k.plan.Topology.Nodes() {
		dir := filepath.Join(k.dir, fmt.Sprintf("node-%d", id))
		properties := kafkaconf.Render(k.layout.node(id, dataDir(dir)), k.plan.Properties)
		if err := kafka.writeNodeDir(dir, id, k.clusterID, k.layout.hostsFile(id, bare), properties); err != nil {
			return err
		}
		n := &node{id: id, dir: dir, log: filepath.Join(k.plan.LogDir, fmt.Sprintf("broker-%d.log", id))}
		n.command = func() *exec.Cmd { return kafka.broker(dir) }
		k.nodes = append(k.nodes, n)
	}
	return together.Do(k.nodes, func(n *node) error { return n.Start(ctx) })
}

// awaitReady returns when the cluster is ready, or as soon as a broker dies.
func (k *keeper) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var direct []string
	for _, n := range k.nodes {
		if k.plan.Topology.IsBroker(n.id) {
			direct = append(direct, k.layout.own(n.id, clientPort))
		}
		go func() {
			select {
			case <-n.process.Done():
				cancel(n.died())
			case <-ctx.Done():
			}
		}()
	}
	err := ready.Await(ctx, direct)
	var died *StartError
	if errors.As(context.Cause(ctx), &died) {
		return died
	}
	if err != nil {
		return &StartError{Why: err.Error(), Log: k.nodes[0].log, Tail: tail(k.nodes[0].log, tailLines)}
	}
	return nil
}

// node returns the node numbered id.
func (k *keeper) node(id int) (*node, error) {
	if id < 1 || id > len(k.nodes) {
		return nil, fmt.Errorf("there is no node %d (nodes are 1 to %d)", id, len(k.nodes))
	}
	return k.nodes[id-1], nil
}

func (k *keeper) describe() *description {
	d := &description{Direct: harness.Dials{}, Links: k.proxies.All(), Info: harness.ClusterInfo{
		Provider: Name, Kafka: k.plan.Kafka.Version, Nodes: k.plan.Topology.BrokerIDs(), Topology: k.plan.Topology,
		ToxiproxyAPI: k.layout.api(), KeeperPid: os.Getpid(), DataDir: k.dir,
	}}
	for _, id := range d.Info.Nodes {
		d.Info.Bootstrap = append(d.Info.Bootstrap, k.layout.shared(id))
		d.Direct[k.layout.shared(id)] = k.layout.own(id, clientPort)
	}
	return d
}

// teardown kills and reaps every broker and removes the folder, once. Toxiproxy ends with the process: to stop a
// proxy can take as long as its broker is silent.
func (k *keeper) teardown() error {
	k.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), teardownWithin)
		defer cancel()
		k.teardownErr = together.Do(k.nodes, func(n *node) error {
			if n.status().State == harness.NodeStopped {
				return nil
			}
			return n.Kill(ctx)
		})
		if k.dir != "" {
			k.teardownErr = errors.Join(k.teardownErr, scratch.Remove(ctx, k.dir))
		}
	})
	return k.teardownErr
}

// finishAnswers sends the answer to the command that closed the keeper.
func (k *keeper) finishAnswers() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = k.api.server.Shutdown(ctx)
}
