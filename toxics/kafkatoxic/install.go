package kafkatoxic

import (
	"fmt"
	"sync"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
	"github.com/Shopify/toxiproxy/v2/toxics"
)

// The toxics' types, and the names under which every prepared proxy has them.
const (
	RequestType  = "kafka_req"
	ResponseType = "kafka_resp"
)

// Register makes both types known to the Toxiproxy server of this process, once.
var Register = sync.OnceFunc(func() {
	toxics.Register(RequestType, new(RequestToxic))
	toxics.Register(ResponseType, new(ResponseToxic))
})

// Prepare gives a proxy both toxics, passing everything. It must be called when the proxy is made, before anything
// connects, and its server's process must have called Register.
func Prepare(proxy *toxiproxy.Proxy) error {
	for _, t := range []struct{ kind, direction string }{{RequestType, "upstream"}, {ResponseType, "downstream"}} {
		if _, err := proxy.AddToxic(t.kind, t.kind, t.direction, 1, toxiproxy.Attributes{}); err != nil {
			return fmt.Errorf("toxic %s of %s: %w", t.kind, proxy.Name, err)
		}
	}
	return nil
}
