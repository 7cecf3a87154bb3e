package kafkatoxic

import "encoding/json"

// What Status.Op can be.
const (
	OpPass  = "pass"  // no rule is armed
	OpArmed = "armed" // some are
)

// Status is what reading "kafka_req" gives.
type Status struct {
	Op string `json:"op"`
	// Connections counts connections since the proxy was made; Unparsable counts those that pass untouched because they don't
	// speak Kafka's protocol in the clear.
	Connections int64 `json:"connections"`
	Unparsable  int64 `json:"unparsable"`
	// Requests counts requests; TooLarge those that a rule could not look into; Unmarked those whose responses could not be
	// followed because too many already were. All of these passed.
	Requests int64 `json:"requests"`
	TooLarge int64 `json:"tooLarge,omitempty"`
	Unmarked int64 `json:"unmarked,omitempty"`
	// Rules are in the order of arming.
	Rules []RuleStatus `json:"rules,omitempty"`
}

// RuleStatus is a rule and what it did at this proxy. A disarmed rule is kept until it is forgotten.
type RuleStatus struct {
	Rule
	Armed bool `json:"armed"`
	Counters
}

// Rule returns the status of the named rule, and whether it is there.
func (s Status) Rule(id string) (RuleStatus, bool) {
	for _, r := range s.Rules {
		if r.ID == id {
			return r, true
		}
	}
	return RuleStatus{}, false
}

// MarshalJSON gives the status.
func (t *RequestToxic) MarshalJSON() ([]byte, error) {
	s := Status{
		Op: OpPass, Connections: t.connections.Load(), Unparsable: t.unparsable.Load(),
		Requests: t.requests.Load(), TooLarge: t.tooLarge.Load(), Unmarked: t.unmarked.Load(),
	}
	if len(t.rules()) > 0 {
		s.Op = OpArmed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.all {
		s.Rules = append(s.Rules, a.report())
	}
	return json.Marshal(s)
}
