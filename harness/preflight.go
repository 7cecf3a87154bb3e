package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// UsageError is a contradiction in what was asked for; nothing was started.
type UsageError struct{ Reason string }

func (e UsageError) Error() string { return e.Reason }

// CapableProvider is a provider that lists its abilities ("links", "kill", "pause", …): what it doesn't list, it can't do.
type CapableProvider interface {
	Capabilities() []string
}

// preflight refuses contradictions before anything starts.
func preflight(rooms Rooms, spec RunSpec) error {
	exp := spec.Experiment
	switch {
	case exp.Load.Rate <= 0:
		return UsageError{fmt.Sprintf("rate %v: must be above 0 records/s", exp.Load.Rate)}
	case exp.Load.Duration <= 0:
		return UsageError{fmt.Sprintf("duration %s: must be above 0", exp.Load.Duration)}
	case len(exp.Pipelines) == 0:
		return UsageError{"no pipeline to run"}
	}
	infos, err := selectInfos(rooms.Infos, exp.Pipelines)
	if err != nil {
		return err
	}
	if err := checkTransactionTimeouts(infos, exp); err != nil {
		return err
	}
	for _, f := range exp.Faults {
		if f.Ends() > exp.Load.Duration {
			return UsageError{fmt.Sprintf("the %s fault lasts until %s, beyond the load's duration of %s: make the duration longer",
				f.Name, f.Ends(), exp.Load.Duration)}
		}
	}
	return checkCapabilities(rooms.Provider, exp.Faults)
}

// The brokers' bound on transaction timeouts, and what it is by default (Kafka documentation, transaction.max.timeout.ms).
const (
	maxTransactionTimeout        = "transaction.max.timeout.ms"
	defaultMaxTransactionTimeout = 15 * time.Minute
)

// checkTransactionTimeouts refuses transaction timeouts that the brokers will refuse: no transaction would ever begin.
func checkTransactionTimeouts(infos []PipelineInfo, exp Experiment) error {
	most := defaultMaxTransactionTimeout
	if set := exp.Cluster.Properties[maxTransactionTimeout]; set != "" {
		millis, err := strconv.ParseInt(set, 10, 32)
		if err != nil || millis <= 0 {
			return UsageError{fmt.Sprintf("%s is %q: it must be a number of milliseconds above 0", maxTransactionTimeout, set)}
		}
		most = time.Duration(millis) * time.Millisecond
	}
	for _, info := range infos {
		if timeout := info.transactionTimeout(exp.Shared); info.Transactional && timeout > most {
			return UsageError{fmt.Sprintf("pipeline %s asks for a transaction timeout of %s, and the brokers allow at most %s (%s): raise that property, or lower transaction-timeout",
				info.Name, timeout, most, maxTransactionTimeout)}
		}
	}
	return nil
}

// transactionTimeout is the pipeline's, its own or the shared one.
func (p PipelineInfo) transactionTimeout(s Shared) time.Duration {
	return cmp.Or(p.TransactionTimeout, s.TransactionTimeout)
}

// largestTransactionTimeout is the largest that any client of the experiment uses.
func largestTransactionTimeout(infos []PipelineInfo, exp Experiment) time.Duration {
	largest := exp.Shared.TransactionTimeout
	for _, info := range infos {
		if info.Transactional && slices.Contains(exp.Pipelines, info.Name) {
			largest = max(largest, info.transactionTimeout(exp.Shared))
		}
	}
	return largest
}

func checkCapabilities(p Provider, faults []ScheduledFault) error {
	capable, ok := p.(CapableProvider)
	if !ok {
		return nil
	}
	can := capable.Capabilities()
	for _, f := range faults {
		for _, need := range f.Fault.Needs() {
			if !slices.Contains(can, need) {
				return UsageError{fmt.Sprintf("fault %s needs %q, which the provider %s can't do", f.Name, need, p.Name())}
			}
		}
	}
	return nil
}

// selectInfos returns what the named pipelines declare, in the order of the names.
func selectInfos(infos []PipelineInfo, names []string) ([]PipelineInfo, error) {
	var out []PipelineInfo
	for _, name := range names {
		i := slices.IndexFunc(infos, func(p PipelineInfo) bool { return p.Name == name })
		if i < 0 {
			return nil, UsageError{fmt.Sprintf("unknown pipeline %q", name)}
		}
		out = append(out, infos[i])
	}
	return out, nil
}
