package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

// askWithin bounds one question to the engine, pingWithin the first.
const (
	pingWithin = 5 * time.Second
	askWithin  = 10 * time.Second
)

// EngineError is the error if no container engine answers: what was tried, and what to do.
type EngineError struct {
	Tried []string
	// Do is a command to type, or what to do.
	Do string
}

func (e *EngineError) Error() string {
	return fmt.Sprintf("no container engine answers on this machine; %s (fix it with: %s)", e.Found(), e.Do)
}

// Found is what was tried, and how that failed.
func (e *EngineError) Found() string { return "tried " + strings.Join(e.Tried, "; ") }

// Engine is a container engine of this machine.
type Engine struct {
	*client.Client
	// Host is its address.
	Host string
	// Version is its version, Memory the bytes it may use, CPUs how many it has.
	Version string
	Memory  int64
	// published reports whether containers can only be reached at published ports: the engine runs in a network of its own.
	published bool
}

// Connect finds the engine: $DOCKER_HOST if it is set, else the sockets at their usual paths.
func Connect(ctx context.Context) (*Engine, error) {
	var tried []string
	for _, host := range hosts() {
		engine, err := connectTo(ctx, host)
		if err == nil {
			return engine, nil
		}
		tried = append(tried, fmt.Sprintf("%s: %s", host, reason(err)))
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return nil, &EngineError{Tried: tried, Do: whatToDo()}
}

func hosts() []string {
	if host := os.Getenv("DOCKER_HOST"); host != "" {
		return []string{host}
	}
	places := []string{"/var/run/docker.sock"}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		places = append(places, filepath.Join(dir, "docker.sock"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".docker", "run", "docker.sock"))
	}
	for i, place := range places {
		places[i] = "unix://" + place
	}
	return places
}

// whatToDo is what brings an engine up, here.
func whatToDo() string {
	if _, err := os.Stat("/usr/sbin/dockerd"); err == nil {
		return "systemctl start docker   # or where no systemd runs: make engine"
	}
	return "apt-get install docker.io iptables && make engine"
}

// reason is an error's cause without the client's words around it.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}

func connectTo(ctx context.Context, host string) (*Engine, error) {
	if err := onThisMachine(host); err != nil {
		return nil, err
	}
	c, err := client.New(client.WithHost(host))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pingWithin, fmt.Errorf("no answer within %s", pingWithin))
	defer cancel()
	answer, err := c.Info(ctx, client.InfoOptions{})
	if err != nil {
		_ = c.Close()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	rootless := slices.ContainsFunc(answer.Info.SecurityOptions, func(o string) bool { return strings.Contains(o, "rootless") })
	return &Engine{Client: c, Host: host, Version: answer.Info.ServerVersion, Memory: answer.Info.MemTotal,
		published: rootless || runtime.GOOS != "linux"}, nil
}

// onThisMachine refuses engines elsewhere: a run touches nothing but loopback and containers on this machine.
func onThisMachine(host string) error {
	u, err := url.Parse(host)
	if err != nil {
		return fmt.Errorf("DOCKER_HOST: %w", err)
	}
	if u.Scheme == "unix" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return errors.New("this engine is not on this machine, where the workers and their links must be")
}
