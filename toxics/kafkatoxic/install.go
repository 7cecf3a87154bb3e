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

// Register makes both types known to the Toxiproxy server of this process. It must be called before the server makes
// proxies; to call it again does nothing.
var Register = sync.OnceFunc(func() {
	shared := newExchange()
	toxics.Register(RequestType, &RequestToxic{board: board{sharing: sharing{with: shared}}})
	toxics.Register(ResponseType, &ResponseToxic{sharing: sharing{with: shared}})
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
