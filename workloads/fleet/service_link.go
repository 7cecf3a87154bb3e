package workloads

import (
	"context"
	"fmt"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"

	"github.com/chaeos/chaeos/harness"
)

// startService starts the external service, where the run has one, and lays a link of its own to it: a Toxiproxy proxy
// that only the workers' calls go through. Where there is no Toxiproxy (tests), or it can't reach this machine's loopback
// (containers), they go straight to it.
func (f *Fleet) startService(ctx context.Context) error {
	m, err := f.find(serviceName)
	if err != nil {
		return nil //nolint:nilerr // no pipeline of the run calls it
	}
	if err := f.begin(ctx, m); err != nil {
		return err
	}
	err = f.until(ctx, "the service to be up", func() (bool, error) {
		if m.life.ready {
			return true, nil
		}
		select {
		case <-m.life.gone:
			return false, fmt.Errorf("the service ended while starting%s", logTail(m.life.log))
		default:
			return false, nil
		}
	})
	if err != nil {
		return err
	}
	address := m.template.Service
	if info := f.spec.Cluster.Info(); info.ToxiproxyAPI != "" && !info.ProxiesApart {
		proxy, err := toxiproxy.NewClient(info.ToxiproxyAPI).CreateProxy(harness.ServiceProxy, "127.0.0.1:0", address)
		if err != nil {
			return fmt.Errorf("link to the service: %w", err)
		}
		address = proxy.Listen
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, worker := range f.members {
		if worker.Role == roleWorker {
			worker.template.Service = address
		}
	}
	return nil
}
