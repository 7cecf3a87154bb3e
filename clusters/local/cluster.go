package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
)

// cluster is a handle on a running cluster: it speaks to the keeper over its socket.
type cluster struct {
	description description
	http        *http.Client
	keeper      keeperHandle
	// forget removes the record of a detached cluster; it does nothing for others.
	forget func() error

	mu    sync.Mutex
	links []harness.Link
}

var _ harness.Cluster = (*cluster)(nil)

// keeperHandle is a keeper seen from outside.
type keeperHandle interface {
	// release closes the starter's end of the pipe, which the keeper watches.
	release()
	// wait returns nil once the keeper has ended.
	wait(ctx context.Context) error
	// kill ends it with SIGKILL; the brokers end with it.
	kill()
}

func newCluster(d description, keeper keeperHandle, forget func() error) *cluster {
	return &cluster{description: d, http: overSocket(filepath.Join(d.Info.DataDir, keeperSocket)), keeper: keeper,
		forget: forget, links: d.Links}
}

func overSocket(path string) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial}}
}

// Info describes the cluster. Node n keeps its data in DataDir/node-n/data.
func (c *cluster) Info() harness.ClusterInfo {
	info := c.description.Info
	info.Nodes, info.Bootstrap = slices.Clone(info.Nodes), slices.Clone(info.Bootstrap)
	return info
}

// Direct maps advertised addresses to the brokers' own client listeners.
func (c *cluster) Direct() harness.Dials { return maps.Clone(c.description.Direct) }

// ClientLinks makes the named client's links, once. They stay until the cluster ends, so that a restarted worker finds
// its own again. The name may contain letters, digits, dots, dashes and underscores, and is not a number or "client".
func (c *cluster) ClientLinks(ctx context.Context, client string) (harness.Dials, error) {
	var made linksMade
	if err := c.call(ctx, http.MethodPost, "/clients/"+url.PathEscape(client), &made); err != nil {
		return nil, fmt.Errorf("links of client %q: %w", client, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(made.Links) > len(c.links) { // links only become more, and of two answers the older one may come last
		c.links = made.Links
	}
	return made.Dials, nil
}

// Links lists all links, sorted by proxy name.
func (c *cluster) Links() []harness.Link {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.links)
}

// Bytes reads every proxy's counters, of open connections too. A snapshot includes bytes in flight: what was cut is a
// difference of two.
func (c *cluster) Bytes(ctx context.Context) (map[string]harness.LinkBytes, error) {
	var counted map[string]harness.LinkBytes
	err := c.call(ctx, http.MethodGet, "/bytes", &counted)
	return counted, err
}

// Status reports every node, in node order.
func (c *cluster) Status(ctx context.Context) ([]harness.NodeStatus, error) {
	var nodes []harness.NodeStatus
	err := c.call(ctx, http.MethodGet, "/nodes", &nodes)
	return nodes, err
}

// Kill ends the node with SIGKILL.
func (c *cluster) Kill(ctx context.Context, node int) error { return c.operate(ctx, node, "kill") }

// Stop ends the node with SIGTERM; an expired context leaves it ending.
func (c *cluster) Stop(ctx context.Context, node int) error { return c.operate(ctx, node, "stop") }

// Pause freezes the node.
func (c *cluster) Pause(ctx context.Context, node int) error { return c.operate(ctx, node, "pause") }

// Resume continues a paused node.
func (c *cluster) Resume(ctx context.Context, node int) error { return c.operate(ctx, node, "resume") }

// Start starts a node that has ended.
func (c *cluster) Start(ctx context.Context, node int) error { return c.operate(ctx, node, "start") }

func (c *cluster) operate(ctx context.Context, node int, operation string) error {
	var after harness.NodeStatus
	if err := c.call(ctx, http.MethodPost, fmt.Sprintf("/nodes/%d/%s", node, operation), &after); err != nil {
		return fmt.Errorf("%s node %d: %w", operation, node, err)
	}
	return nil
}

// send posts a command with a body to the keeper and reads its answer into result.
func (c *cluster) send(ctx context.Context, path string, body, result any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://keeper"+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	return c.do(request, result)
}

// call sends one command to the keeper and reads its answer into result.
func (c *cluster) call(ctx context.Context, method, path string, result any) error {
	request, err := http.NewRequestWithContext(ctx, method, "http://keeper"+path, nil)
	if err != nil {
		return err
	}
	return c.do(request, result)
}

func (c *cluster) do(request *http.Request, result any) error {
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("the keeper does not answer: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("the keeper's answer broke off: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return errors.New(strings.TrimSpace(string(body)))
	}
	return json.NewDecoder(bytes.NewReader(body)).Decode(result)
}

const (
	// closeWithin bounds an orderly close, before force is used.
	closeWithin = 20 * time.Second
	// forceWithin bounds what comes after SIGKILL.
	forceWithin = 10 * time.Second
)

// Close ends the cluster and removes what it left. A keeper that doesn't do so in time, or before ctx ends, is killed,
// and what it leaves is removed from here. Closing twice is no error.
func (c *cluster) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	var done struct{}
	err := c.call(ctx, http.MethodPost, "/close", &done)
	c.keeper.release()
	if err == nil {
		err = c.keeper.wait(ctx)
	}
	c.http.CloseIdleConnections()
	if err != nil {
		err = finish(ctx, c.keeper, c.description.Info.DataDir)
	}
	return errors.Join(err, c.forget())
}

// finish ends a keeper by force and removes its folder, also if ctx is over.
func finish(ctx context.Context, keeper keeperHandle, dir string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), forceWithin)
	defer cancel()
	keeper.kill()
	err := keeper.wait(ctx)
	if dir != "" {
		err = errors.Join(err, scratch.Remove(ctx, dir))
	}
	return err
}
