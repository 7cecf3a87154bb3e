package containers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/wait"
)

// atOnce is the longest that a start may take to fail.
const atOnce = 15 * time.Second

// fails starts a cluster that can't be, and returns the error. It comes at once and leaves nothing.
func fails(t *testing.T, p *Provider, spec harness.ClusterSpec) error {
	t.Helper()
	before := left(t)
	spec.LogDir = t.TempDir()
	begin := time.Now()
	_, err := p.Start(within(t, time.Minute), spec)
	require.Error(t, err)
	require.Less(t, time.Since(begin), atOnce, err)
	require.Equal(t, before, left(t))
	return err
}

func TestMissingImage(t *testing.T) {
	p := testProvider()
	p.Image = "chaeos/no-such-image:1"
	err := fails(t, p, testSpec)
	var image *ImageError
	require.ErrorAs(t, err, &image)
	require.ErrorContains(t, err, "the image chaeos/no-such-image:1 is not on this machine and can't be pulled")
	require.ErrorContains(t, err, "make images")
}

func TestImageWithoutKafka(t *testing.T) {
	p := testProvider()
	engine, err := Connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = engine.Close() })
	p.Image, err = engine.proxyImageOf(t.Context(), binary, func(string) {}) // contains only this program
	require.NoError(t, err)
	require.ErrorContains(t, fails(t, p, testSpec), "has no Kafka in /opt/kafka/libs")
}

func TestNoEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
	begin := time.Now()
	_, err := testProvider().Start(t.Context(), testSpec)
	var none *EngineError
	require.ErrorAs(t, err, &none)
	require.ErrorContains(t, err, "unix:///nowhere/docker.sock: connect: no such file or directory")
	require.Less(t, time.Since(begin), atOnce)
}

// TestSilentEngine has an engine that accepts and never answers.
func TestSilentEngine(t *testing.T) {
	dir, err := os.MkdirTemp("", "silent-") // a socket's path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.Listen("unix", filepath.Join(dir, "d.sock"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(dir, "d.sock"))
	begin := time.Now()
	_, err = testProvider().Start(t.Context(), testSpec)
	require.ErrorContains(t, err, "no answer within 5s")
	require.Less(t, time.Since(begin), atOnce)
}

func TestEngineElsewhereIsRefused(t *testing.T) {
	t.Setenv("DOCKER_HOST", "tcp://192.0.2.1:2375")
	_, err := Connect(t.Context())
	require.ErrorContains(t, err, "not on this machine")
}

func TestBrokerThatExitsAtOnce(t *testing.T) {
	spec := testSpec
	spec.Properties = map[string]string{"process.roles": "nonsense"}
	err := fails(t, testProvider(), spec)
	var failed *StartError
	require.ErrorAs(t, err, &failed)
	require.NotZero(t, failed.Node)
	require.ErrorContains(t, err, "ended unplanned (exit status 1)")
	require.ErrorContains(t, err, "process.roles", "the end of its log is shown")
}

func TestNotEnoughMemory(t *testing.T) {
	p := testProvider()
	p.host = machine.Host{Proc: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(p.host.Proc, "meminfo"), []byte("MemAvailable: 1048576 kB\n"), 0o600))
	var short *machine.MemoryError
	require.ErrorAs(t, fails(t, p, testSpec), &short, "said before starting")
}

// TestTakenPorts has one block of ports, and one of them is taken.
func TestTakenPorts(t *testing.T) {
	p := testProvider()
	base, err := p.ports.reserve(false)
	require.NoError(t, err)
	p.ports = ports{base, base + blockSize}
	taken, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", base+2))
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	var none *PortError
	require.ErrorAs(t, fails(t, p, testSpec), &none)
	require.ErrorContains(t, none, "end what listens there")
}

func TestPortTakenInTheMeantime(t *testing.T) {
	require.True(t, portTaken(errors.New("Bind for 127.0.0.1:20000 failed: port is already allocated")))
	require.True(t, portTaken(errors.New("listen tcp4 127.0.0.1:20000: bind: address already in use")))
	require.False(t, portTaken(errors.New("no such image")))
}

func TestUnknownFeatureLevel(t *testing.T) {
	spec := testSpec
	spec.Features = []harness.Feature{{Name: "transaction.version", Level: 99}}
	require.ErrorContains(t, fails(t, testProvider(), spec), "transaction.version")
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	before := left(t)
	stop := errors.New("Ctrl-C")
	for _, at := range []time.Duration{100 * time.Millisecond, time.Second, 3 * time.Second} {
		ctx, cancel := context.WithCancelCause(t.Context())
		spec := testSpec
		spec.LogDir = t.TempDir()
		spec.Progress = func(what string) {
			if strings.HasPrefix(what, "starting") {
				time.AfterFunc(at, func() { cancel(stop) })
			}
		}
		_, err := testProvider().Start(ctx, spec)
		require.ErrorIs(t, err, stop, "cancelled after %s", at)
		require.Equal(t, before, left(t), "cancelled after %s", at)
	}
}

// TestKilledHarness kills a process in the midst of a run: the next start, or prune, finds what it left by its labels.
func TestKilledHarness(t *testing.T) {
	before := left(t)
	out := t.TempDir()
	cmd := exec.Command(binary, "run", "baseline", "--cluster", "containers", "--out", out)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "topics") { // the cluster is up
	}
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	engine, err := Connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = engine.Close() })
	require.NotEqual(t, before, left(t), "it could not clean up")
	removed, err := engine.Prune(within(t, time.Minute), false)
	require.NoError(t, err)
	require.Len(t, removed, 1)
	require.Len(t, removed[0].containers, 4)
	require.Len(t, removed[0].networks, 3)
	require.Equal(t, before, left(t))
	logs, err := filepath.Glob(filepath.Join(out, "*", "brokers", "broker-*.log"))
	require.NoError(t, err)
	require.Len(t, logs, 3, "the brokers' logs are in the run's folder")
}

func TestPruneLeavesTheLiving(t *testing.T) {
	engine, err := Connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = engine.Close() })
	require.NoError(t, testProvider().setUpLibrary(t.Context(), engine, false))
	c := &cluster{id: "prunetest", engine: engine}
	c.layout.topology = harness.Topology{}
	t.Cleanup(func() { require.NoError(t, engine.RemoveCluster(context.Background(), c.id)) })
	require.NoError(t, c.openNetworks(within(t, time.Minute)))
	_, err = engine.Prune(within(t, time.Minute), false)
	require.NoError(t, err)
	require.Contains(t, strings.Join(left(t), "\n"), "prunetest", "its owner, this process, lives")
}

func TestGone(t *testing.T) {
	self, err := thisProcess()
	require.NoError(t, err)
	require.False(t, gone(self.String()))
	other := self
	other.start = "1" // the number was used before
	require.True(t, gone(other.String()))
	other = self
	other.pid = "999999999"
	require.True(t, gone(other.String()))
	other.scope = strings.Replace(self.scope, "pid:[", "pid:[9", 1)
	require.False(t, gone(other.String()), "a process of another namespace can't be seen")
	other.scope = "another-boot/pid:[1]"
	require.True(t, gone(other.String()), "nothing outlives a boot")
	require.False(t, gone("nonsense"))
}

// TestEngineDiesInMidRun runs an engine of its own and kills it. The command reports it within seconds, and what is left
// is gone with the engine's next start.
func TestEngineDiesInMidRun(t *testing.T) {
	e := ownEngine(t)
	e.load(t)
	cmd := exec.Command(binary, "run", "baseline", "--cluster", "containers", "--out", t.TempDir(), "--duration", "60s")
	cmd.Env = append(os.Environ(), "DOCKER_HOST="+e.host)
	var text strings.Builder
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "  load") {
		fmt.Fprintln(&text, lines.Text())
	}
	e.kill(t)
	died := time.Now()
	defer func() { t.Logf("the run ended %s after its engine", time.Since(died).Round(time.Second)) }()
	for lines.Scan() && !strings.Contains(lines.Text(), "engine") {
		fmt.Fprintln(&text, lines.Text())
	}
	require.Contains(t, lines.Text(), "engine", text.String())
	require.Less(t, time.Since(died), atOnce)
	for lines.Scan() { // to its end
		fmt.Fprintln(&text, lines.Text())
	}
	require.Error(t, cmd.Wait(), "a run without its cluster proves nothing")
	e.start(t)
	engine, err := connectTo(t.Context(), e.host)
	require.NoError(t, err)
	_, err = engine.Prune(within(t, time.Minute), false)
	require.NoError(t, err)
	all, err := engine.Leftovers(t.Context())
	require.NoError(t, err)
	require.Empty(t, all)
}

// privateEngine is an engine of the test's own, next to the machine's.
type privateEngine struct {
	dir, host string
	cmd       *exec.Cmd
}

func ownEngine(t *testing.T) *privateEngine {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine-")
	require.NoError(t, err)
	e := &privateEngine{dir: dir, host: "unix://" + filepath.Join(dir, "d.sock")}
	t.Cleanup(func() {
		e.kill(t)
		_ = exec.Command("sh", "-c", "umount -l "+dir+"/root/*/*/merged "+dir+"/exec/netns/* 2>/dev/null").Run()
		_ = os.RemoveAll(dir)
	})
	e.start(t)
	return e
}

func (e *privateEngine) start(t *testing.T) {
	t.Helper()
	log, err := os.OpenFile(filepath.Join(e.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer log.Close()
	e.cmd = exec.Command("dockerd", "--host", e.host, "--data-root", filepath.Join(e.dir, "root"), "--exec-root", filepath.Join(e.dir, "exec"),
		"--pidfile", filepath.Join(e.dir, "pid"), "--bridge", "none")
	e.cmd.Stdout, e.cmd.Stderr = log, log
	require.NoError(t, e.cmd.Start())
	require.NoError(t, wait.Poll(within(t, 30*time.Second), 100*time.Millisecond, func() (bool, error) {
		engine, err := connectTo(t.Context(), e.host)
		if err == nil {
			_ = engine.Close()
		}
		return err == nil, nil
	}))
}

// kill ends the engine in order, and its containers with it: what SIGKILL leaves of an engine is not tested.
func (e *privateEngine) kill(t *testing.T) {
	t.Helper()
	_ = e.cmd.Process.Signal(os.Interrupt)
	_ = e.cmd.Wait()
}

// load gives the engine the Kafka image of the machine's own.
func (e *privateEngine) load(t *testing.T) {
	t.Helper()
	theirs, err := Connect(t.Context())
	require.NoError(t, err)
	defer func() { _ = theirs.Close() }()
	_, err = testProvider().prepare(within(t, 2*time.Minute), theirs, testSpec, func(string) {}) // not again over there
	require.NoError(t, err)
	image, id, err := theirs.FindImage(t.Context(), "", testSpec.Kafka)
	require.NoError(t, err)
	saved, err := theirs.ImageSave(t.Context(), []string{image, preparedName(id)})
	require.NoError(t, err)
	defer func() { _ = saved.Close() }()
	ours, err := connectTo(t.Context(), e.host)
	require.NoError(t, err)
	defer func() { _ = ours.Close() }()
	loaded, err := ours.ImageLoad(t.Context(), saved, client.ImageLoadWithQuiet(true))
	require.NoError(t, err)
	require.NoError(t, loaded.Close())
}
