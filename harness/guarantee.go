package harness

import "fmt"

// Guarantee is a delivery promise: what a pipeline claims, and a fixed set of checks that decide whether a run showed it.
type Guarantee string

// The guarantees, in Kafka's own words (Kafka documentation, section "Message Delivery Semantics").
const (
	// AtMostOnce promises no duplicates: records may be lost but are never redelivered.
	AtMostOnce Guarantee = "at-most-once"
	// AtLeastOnce promises no losses: records are never lost but may be redelivered.
	AtLeastOnce Guarantee = "at-least-once"
	// ExactlyOnce promises both, and that transactions take effect as a whole or not at all.
	ExactlyOnce Guarantee = "exactly-once"
	// InOrder promises what an idempotent producer does: each record is stored once, and a partition's records in the order in
	// which they were sent. A pipeline claims it next to one of the others (PipelineInfo.ClaimsOrder).
	InOrder Guarantee = "in-order"
)

// Guarantees lists every guarantee, weakest claim first; in-order comes last.
func Guarantees() []Guarantee { return []Guarantee{AtMostOnce, AtLeastOnce, ExactlyOnce, InOrder} }

// ParseGuarantee returns the guarantee named s, or an error that lists the names there are.
func ParseGuarantee(s string) (Guarantee, error) {
	for _, g := range Guarantees() {
		if string(g) == s {
			return g, nil
		}
	}
	return "", fmt.Errorf("unknown guarantee %q (one of at-most-once, at-least-once, exactly-once, in-order)", s)
}

// Verdict is what a run shows of one guarantee of one pipeline. The zero value is Inconclusive: nothing passes by default.
type Verdict int

// The verdicts. If several apply, Violated wins over Inconclusive, and Inconclusive over Held.
const (
	Inconclusive Verdict = iota
	Held
	Violated
)

var verdictNames = map[Verdict]string{Inconclusive: "inconclusive", Held: "held", Violated: "violated"}

func (v Verdict) String() string { return verdictNames[v] }

// MarshalText writes the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(b []byte) error {
	for k, name := range verdictNames {
		if name == string(b) {
			*v = k
			return nil
		}
	}
	return fmt.Errorf("unknown verdict %q", b)
}

// Expectation is what an experiment expects of one pipeline's claim.
type Expectation string

// The expectations. A claim that must break and held is as surprising as one that must hold and broke.
const (
	MustHold  Expectation = "must-hold"
	MustBreak Expectation = "must-break"
	MayBreak  Expectation = "may-break"
)

// ParseExpectation returns the expectation named s, or an error that lists the names there are.
func ParseExpectation(s string) (Expectation, error) {
	switch e := Expectation(s); e {
	case MustHold, MustBreak, MayBreak:
		return e, nil
	}
	return "", fmt.Errorf("unknown expectation %q (one of must-hold, must-break, may-break)", s)
}
