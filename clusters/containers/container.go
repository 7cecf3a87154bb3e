package containers

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"
)

// createWithin bounds the making of one container or network. An interrupt waits for it: the clean-up could not find
// what the engine makes after that.
const createWithin = 30 * time.Second

// spec is one container to make.
type spec struct {
	image           string
	entrypoint, cmd []string
	labels          map[string]string
	// files are copied into it before it starts, by path.
	files map[string]string
	// endpoints are the networks that it is joined to; its published ports are in the first. None: it has no network.
	endpoints []endpoint
	// ports are published on loopback: the host's numbers by the container's.
	ports map[int]int
	hosts []string
}

// endpoint is a fixed address in a network.
type endpoint struct {
	network *testcontainers.DockerNetwork
	address netip.Addr
}

func (p endpoint) settings() *network.EndpointSettings {
	return &network.EndpointSettings{IPAMConfig: &network.EndpointIPAMConfig{IPv4Address: p.address}}
}

// create makes a container and does not start it.
func (e *Engine) create(ctx context.Context, s spec) (*testcontainers.DockerContainer, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWithin)
	defer cancel()
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithNoStart(), testcontainers.WithLabels(s.labels),
		testcontainers.WithEntrypoint(s.entrypoint...), testcontainers.WithCmd(s.cmd...),
		testcontainers.WithConfigModifier(func(c *container.Config) { c.User = "0:0" }), // instead of the image's user
		testcontainers.WithHostConfigModifier(s.host),
		// Without it the library drops the bindings silently.
		testcontainers.WithExposedPorts(s.exposed()...),
	}
	for path, text := range s.files {
		options = append(options, testcontainers.WithFiles(testcontainers.ContainerFile{
			Reader: strings.NewReader(text), ContainerFilePath: path, FileMode: 0o644,
		}))
	}
	options = append(options, e.join(s.endpoints)...)
	made, err := testcontainers.Run(ctx, s.image, options...)
	if err != nil {
		if made != nil { // there may be both an error and a container
			err = errors.Join(err, e.removeContainers(ctx, []string{made.GetContainerID()}))
		}
		return nil, fmt.Errorf("make a container of %s: %w", s.image, err)
	}
	return made, e.checkJoined(ctx, made.GetContainerID(), s.endpoints)
}

func (s spec) host(h *container.HostConfig) {
	h.ExtraHosts = s.hosts
	h.PortBindings = network.PortMap{}
	for inside, outside := range s.ports {
		h.PortBindings[network.MustParsePort(fmt.Sprintf("%d/tcp", inside))] = []network.PortBinding{{HostIP: loopback, HostPort: strconv.Itoa(outside)}}
	}
	if len(s.endpoints) == 0 {
		h.NetworkMode = "none"
	}
}

func (s spec) exposed() []string {
	var all []string
	for inside := range s.ports {
		all = append(all, fmt.Sprintf("%d/tcp", inside))
	}
	return all
}

// join attaches a container to its networks: the library knows fixed addresses in the first only.
func (e *Engine) join(endpoints []endpoint) []testcontainers.ContainerCustomizer {
	if len(endpoints) == 0 {
		return nil
	}
	first, others := endpoints[0], endpoints[1:]
	return []testcontainers.ContainerCustomizer{
		tcnetwork.WithNetwork(nil, first.network),
		testcontainers.WithEndpointSettingsModifier(func(all map[string]*network.EndpointSettings) {
			if s := all[first.network.Name]; s != nil {
				s.IPAMConfig = first.settings().IPAMConfig
			}
		}),
		testcontainers.WithAdditionalLifecycleHooks(testcontainers.ContainerLifecycleHooks{
			PostCreates: []testcontainers.ContainerHook{func(ctx context.Context, c testcontainers.Container) error {
				for _, p := range others {
					options := client.NetworkConnectOptions{Container: c.GetContainerID(), EndpointConfig: p.settings()}
					if _, err := e.NetworkConnect(ctx, p.network.ID, options); err != nil {
						return fmt.Errorf("join network %s: %w", p.network.Name, err)
					}
				}
				return nil
			}},
		}),
	}
}

// checkJoined checks that a container has its own address in every network: without, links would not work, and nothing
// would show why.
func (e *Engine) checkJoined(ctx context.Context, id string, endpoints []endpoint) error {
	answer, err := e.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	if err != nil {
		return fmt.Errorf("inspect container %.12s: %w", id, err)
	}
	for _, p := range endpoints {
		has := answer.Container.NetworkSettings.Networks[p.network.Name]
		if has == nil || has.IPAMConfig == nil || has.IPAMConfig.IPv4Address != p.address {
			return fmt.Errorf("container %.12s is not at %s in network %s", id, p.address, p.network.Name)
		}
	}
	return nil
}

// start starts a container.
func (e *Engine) start(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), createWithin)
	defer cancel()
	if _, err := e.ContainerStart(ctx, id, client.ContainerStartOptions{}); err != nil {
		return fmt.Errorf("start container %.12s: %w", id, err)
	}
	return nil
}

// ended waits until a container does not run, and returns its exit code.
func (e *Engine) ended(ctx context.Context, id string) (int64, error) {
	answer := e.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case end := <-answer.Result:
		return end.StatusCode, nil
	case err := <-answer.Error:
		return 0, fmt.Errorf("wait for container %.12s: %w", id, causeOr(ctx, err))
	}
}
