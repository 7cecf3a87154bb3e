package kafkatoxic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
)

// ErrNotPrepared is the error of a proxy without the toxics.
var ErrNotPrepared = errors.New("the proxy has no Kafka-aware toxics: it was made by a server that doesn't know them, or reset since")

// Remote drives the toxics of one proxy through Toxiproxy's client. Calls may be repeated, also after one whose answer was lost.
// They end when Toxiproxy answers, at the latest after its client's 30 s.
type Remote struct{ proxy *toxiproxy.Proxy }

// NewRemote drives the named proxy of the client's server.
func NewRemote(client *toxiproxy.Client, proxy string) Remote {
	p := client.NewProxy()
	p.Name = proxy
	return Remote{p}
}

// Arm puts a rule to work.
func (r Remote) Arm(rule Rule) error {
	return r.send("arm "+rule.ID, toxiproxy.Attributes{"arm": rule})
}

// Release lets go what waits at a rule. The rule stays armed.
func (r Remote) Release(id string) error {
	return r.send("release "+id, toxiproxy.Attributes{"release": id})
}

// Disarm ends a rule and lets go what waits at it. Its counters stay, and go on counting answers to what it held.
func (r Remote) Disarm(id string) error {
	return r.send("disarm "+id, toxiproxy.Attributes{"disarm": id})
}

// Forget removes a rule and its counters.
func (r Remote) Forget(id string) error {
	return r.send("forget "+id, toxiproxy.Attributes{"forget": id})
}

func (r Remote) send(what string, attributes toxiproxy.Attributes) error {
	_, err := r.proxy.UpdateToxic(RequestType, -1, attributes) // -1 leaves the toxicity alone
	return r.explain(what, err)
}

// Status reads the counters.
func (r Remote) Status() (Status, error) {
	all, err := r.proxy.Toxics()
	if err != nil {
		return Status{}, r.explain("status", err)
	}
	for _, t := range all {
		if t.Name == RequestType {
			return statusOf(t)
		}
	}
	return Status{}, r.explain("status", ErrNotPrepared)
}

// Statuses reads the counters of every prepared proxy of a server at once, by proxy.
func Statuses(client *toxiproxy.Client) (map[string]Status, error) {
	proxies, err := client.Proxies()
	if err != nil {
		return nil, fmt.Errorf("status of all proxies: %w", err)
	}
	all := map[string]Status{}
	for name, p := range proxies {
		for _, t := range p.ActiveToxics {
			if t.Name != RequestType {
				continue
			}
			if all[name], err = statusOf(t); err != nil {
				return nil, fmt.Errorf("status of %s: %w", name, err)
			}
		}
	}
	return all, nil
}

// statusOf reads the attributes that Toxiproxy's client has taken apart.
func statusOf(t toxiproxy.Toxic) (Status, error) {
	var s Status
	data, err := json.Marshal(t.Attributes)
	if err != nil {
		return s, err
	}
	err = json.Unmarshal(data, &s)
	return s, err
}

func (r Remote) explain(what string, err error) error {
	var api *toxiproxy.ApiError
	if errors.As(err, &api) && api.Status == http.StatusNotFound {
		err = fmt.Errorf("%w (%w)", ErrNotPrepared, err)
	}
	if err != nil {
		return fmt.Errorf("%s on %s: %w", what, r.proxy.Name, err)
	}
	return nil
}
