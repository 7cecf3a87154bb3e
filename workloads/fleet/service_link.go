package fleet

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// startService starts the external service, if the run has one, and gives its address to the workers.
func (f *Fleet) startService(ctx context.Context) error {
	m, err := f.find(protocol.ServiceName)
	if err != nil {
		return nil //nolint:nilerr // no pipeline of the run calls it
	}
	if err := f.start(ctx, m); err != nil {
		return err
	}
	if err := f.untilUp(ctx, m); err != nil {
		return err
	}
	address, err := f.serviceLink(m.template.Service)
	if err != nil {
		return fmt.Errorf("link to the service: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, worker := range f.members {
		if worker.Role == protocol.RoleWorker {
			worker.template.Service = address
		}
	}
	return nil
}

// serviceLink makes a link of its own to the service: a Toxiproxy proxy that only the workers' calls go through. Without
// Toxiproxy (tests), or if it can't reach this machine's loopback (containers), calls go straight to the service.
func (f *Fleet) serviceLink(address string) (string, error) {
	info := f.spec.Cluster.Info()
	if info.ToxiproxyAPI == "" || info.ProxiesApart {
		return address, nil
	}
	proxy, err := toxiproxy.NewClient(info.ToxiproxyAPI).CreateProxy(harness.ServiceProxy, "127.0.0.1:0", address)
	if err != nil {
		return "", err
	}
	return proxy.Listen, nil
}
