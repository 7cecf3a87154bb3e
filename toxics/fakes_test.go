package toxics

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/claims"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// The pipelines of the fake run: p reads and writes transactionally with two workers, q only produces.
var testPlan = harness.TopicPlan{
	Input: "in", Partitions: 3, MinISR: 2, Controller: 3,
	Pipelines: []harness.PipelineLayout{
		{
			PipelineInfo: harness.PipelineInfo{Name: "p", Phases: []string{"flushed", "committed"}, Transactional: true},
			Output:       "out-p", Group: "group-p", TransactionalIDs: []string{"txn-p-0", "txn-p-1"},
		},
		{PipelineInfo: harness.PipelineInfo{Name: "q", ProducerOnly: true}, Output: "out-q"},
	},
}

var testScope = harness.Scope{
	Pipelines: []harness.PipelineInfo{testPlan.Pipelines[0].PipelineInfo, testPlan.Pipelines[1].PipelineInfo},
	Brokers:   3, Partitions: 3, Workers: 2,
}

// stage is everything a fault needs, faked: brokers by kfake, links by an embedded Toxiproxy with echo servers behind.
type stage struct {
	*harness.Field
	kafka   *kfake.Cluster
	cluster *fakeCluster
	fleet   *fakeFleet
	steps   *stepper
}

func newStage(t *testing.T) *stage {
	t.Helper()
	kafka, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(3, "in", "out-p", "out-q"))
	require.NoError(t, err)
	t.Cleanup(kafka.Close)
	_, _, err = kafka.AddNode(3, 0) // nodes count from 1 in chaeos
	require.NoError(t, err)
	require.NoError(t, kafka.RemoveNode(0))
	for _, topic := range []string{"in", "out-p", "out-q"} {
		for p := range int32(3) {
			require.NoError(t, kafka.MoveTopicPartition(topic, p, p+1))
		}
	}
	admin, err := kgo.NewClient(kgo.SeedBrokers(kafka.ListenAddrs()...), kgo.AlwaysRetryEOF())
	require.NoError(t, err)
	t.Cleanup(admin.Close)
	require.NoError(t, admin.Ping(t.Context()))
	steps := &stepper{}
	steps.countRequests(kafka)
	s := &stage{kafka: kafka, cluster: newFakeCluster(t, kafka, steps), fleet: newFakeFleet(steps), steps: steps}
	s.Field = &harness.Field{
		Cluster: s.cluster, Fleet: s.fleet, Admin: admin, Plan: testPlan, Observer: fakeObserver{}, Rand: rand.New(rand.NewPCG(1, 0)),
		Claims: &claims.Book{},
	}
	return s
}

// fakeCluster has real links and pretended processes.
type fakeCluster struct {
	harness.Cluster
	kafka *kfake.Cluster
	api   string
	links []harness.Link
	steps *stepper

	mu     sync.Mutex
	bytes  map[string]*linkCounter
	states map[int]harness.NodeState
	fails  map[string]error // by operation: "kill 1"
	calls  []string
	looks  atomic.Int64 // how often anybody read the links' counters
}

type linkCounter struct{ upIn, upOut, downIn, downOut, ended atomic.Int64 }

func newFakeCluster(t *testing.T, kafka *kfake.Cluster, steps *stepper) *fakeCluster {
	kafkatoxic.Register()
	zerolog.SetGlobalLevel(zerolog.ErrorLevel) // some toxics trace each interruption to standard error
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	api := httptest.NewServer(steps.counts(server.Routes()))
	t.Cleanup(api.Close)
	c := &fakeCluster{
		kafka: kafka, steps: steps, api: strings.TrimPrefix(api.URL, "http://"), bytes: map[string]*linkCounter{}, fails: map[string]error{},
		states: map[int]harness.NodeState{1: harness.NodeRunning, 2: harness.NodeRunning, 3: harness.NodeRunning},
	}
	for _, from := range []string{"1", "2", "3", "p-0", "p-1", "q-source", "client"} {
		for to := 1; to <= 3; to++ {
			kinds := []harness.LinkKind{harness.ClientLink}
			if len(from) == 1 {
				kinds = []harness.LinkKind{harness.ReplicationLink, harness.QuorumLink}
			}
			for _, kind := range kinds {
				if from != fmt.Sprint(to) {
					c.addLink(t, harness.Link{Kind: kind, From: from, To: to, Proxy: fmt.Sprintf("%s-%d-%s", from, to, kind)})
				}
			}
		}
	}
	return c
}

// addLink makes a proxy with an echo server behind it, and keeps bytes flowing.
func (c *fakeCluster) addLink(t *testing.T, link harness.Link) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	proxy, err := toxiclient.NewClient(c.api).CreateProxy(link.Proxy, "127.0.0.1:0", echo.Addr().String())
	require.NoError(t, err)
	require.NoError(t, kafkatoxic.Prepare(proxy))
	link.Listen = proxy.Listen
	counter := &linkCounter{}
	c.links, c.bytes[link.Proxy] = append(c.links, link), counter
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() { cancel(); _ = echo.Close(); running.Wait() })
	running.Go(func() { serveEcho(ctx, echo, counter) })
	running.Go(func() { talk(ctx, link.Listen, counter) })
}

func serveEcho(ctx context.Context, l net.Listener, counter *linkCounter) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		go func() {
			buf := make([]byte, 4096)
			for {
				n, err := conn.Read(buf)
				counter.upOut.Add(int64(n))
				if err != nil {
					return
				}
				counter.downIn.Add(int64(n))
				if _, err := conn.Write(buf[:n]); err != nil {
					return
				}
			}
		}()
	}
}

// chunk is how many bytes are sent at a time.
const chunk = 64

// talk sends a little every 20 ms, over a new connection whenever the old one broke.
func talk(ctx context.Context, addr string, counter *linkCounter) {
	for ctx.Err() == nil {
		conn, err := net.Dial("tcp", addr)
		if err != nil { // refused
			_ = wait.Sleep(ctx, 20*time.Millisecond)
			continue
		}
		stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
		go func() {
			n, _ := io.Copy(countTo(&counter.downOut), conn)
			_ = n
			_ = conn.Close()
		}()
		for err == nil {
			var n int
			n, err = conn.Write(make([]byte, chunk))
			counter.upIn.Add(int64(n))
			if err == nil {
				err = wait.Sleep(ctx, 20*time.Millisecond)
			}
		}
		stop()
		_ = conn.Close()
		counter.ended.Add(1)
	}
}

type countingWriter struct{ to *atomic.Int64 }

func countTo(to *atomic.Int64) io.Writer { return countingWriter{to} }

func (w countingWriter) Write(p []byte) (int, error) { w.to.Add(int64(len(p))); return len(p), nil }

func (c *fakeCluster) Info() harness.ClusterInfo {
	return harness.ClusterInfo{Nodes: []int{1, 2, 3}, ToxiproxyAPI: c.api}
}

func (c *fakeCluster) Links() []harness.Link { return c.links }

func (c *fakeCluster) Bytes(context.Context) (map[string]harness.LinkBytes, error) {
	c.looks.Add(1)
	out := map[string]harness.LinkBytes{}
	for name, n := range c.bytes {
		out[name] = harness.LinkBytes{
			UpstreamIn: n.upIn.Load(), UpstreamOut: n.upOut.Load(), DownstreamIn: n.downIn.Load(), DownstreamOut: n.downOut.Load(),
			UpstreamEnded: n.ended.Load(), DownstreamEnded: n.ended.Load(),
		}
	}
	return out, c.fails["bytes"]
}

// do notes an operation and changes the state, unless the operation is to fail.
func (c *fakeCluster) do(ctx context.Context, op string, node int, state harness.NodeState) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.steps.step()
	c.mu.Lock()
	defer c.mu.Unlock()
	call := fmt.Sprintf("%s %d", op, node)
	c.calls = append(c.calls, call)
	if err := c.fails[call]; err != nil {
		return err
	}
	c.states[node] = state
	return nil
}

func (c *fakeCluster) called() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

func (c *fakeCluster) failing(op string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fails[op] = err
}

func (c *fakeCluster) Kill(ctx context.Context, node int) error {
	return c.do(ctx, "kill", node, harness.NodeStopped)
}
func (c *fakeCluster) Stop(ctx context.Context, node int) error {
	return c.do(ctx, "stop", node, harness.NodeStopped)
}
func (c *fakeCluster) Wipe(ctx context.Context, node int) error {
	return c.do(ctx, "wipe", node, harness.NodeStopped)
}

func (c *fakeCluster) CutLogs(ctx context.Context, node int, _ harness.LogCut) ([]harness.CutLog, error) {
	return []harness.CutLog{{Topic: "out-p", Partition: 0, From: 90, To: 80}}, c.do(ctx, "cut", node, harness.NodeStopped)
}
func (c *fakeCluster) Pause(ctx context.Context, node int) error {
	return c.do(ctx, "pause", node, harness.NodePaused)
}
func (c *fakeCluster) Resume(ctx context.Context, node int) error {
	return c.do(ctx, "resume", node, harness.NodeRunning)
}
func (c *fakeCluster) Start(ctx context.Context, node int) error {
	return c.do(ctx, "start", node, harness.NodeRunning)
}

func (c *fakeCluster) Status(context.Context) ([]harness.NodeStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []harness.NodeStatus
	for node := 1; node <= 3; node++ {
		out = append(out, harness.NodeStatus{Node: node, State: c.states[node]})
	}
	return out, nil
}

// toxicsLeft lists what faults left in Toxiproxy.
func (c *fakeCluster) toxicsLeft(t *testing.T) []string {
	t.Helper()
	proxies, err := toxiclient.NewClient(c.api).Proxies()
	require.NoError(t, err)
	var left []string
	for name, p := range proxies {
		for _, toxic := range p.ActiveToxics {
			if toxic.Type == kafkatoxic.RequestType || toxic.Type == kafkatoxic.ResponseType {
				continue // part of every link
			}
			left = append(left, fmt.Sprintf("%s %s %s", name, toxic.Type, toxic.Stream))
		}
	}
	slices.Sort(left)
	return left
}

type fakeObserver struct{}

func (fakeObserver) Visible(string) uint64 { return 100 }

// inject makes and injects a fault that must succeed.
func (s *stage) inject(t *testing.T, name, selector string, options map[string]any) harness.Injection {
	t.Helper()
	i, err := s.try(t.Context(), t, name, selector, options)
	require.NoError(t, err)
	return i
}

func (s *stage) try(ctx context.Context, t *testing.T, name, selector string, options map[string]any) (harness.Injection, error) {
	t.Helper()
	fault, err := New(name, options)
	require.NoError(t, err)
	require.NoError(t, Check(name, fault, selector, testScope))
	return fault.Inject(ctx, s.Field, selector)
}

func proofOf(t *testing.T, i harness.Injection, pipeline string) harness.Proof {
	t.Helper()
	for _, b := range i.Proofs(t.Context()) {
		if b.Pipeline == pipeline {
			return b
		}
	}
	require.Fail(t, "no proof for "+pipeline)
	return harness.Proof{}
}
