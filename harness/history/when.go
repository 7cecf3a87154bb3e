package history

// When is the time that an entry carries.
func When(e Entry) Time {
	switch e := e.(type) {
	case *Process:
		return e.At
	case *Intent:
		return e.At
	case *Acked:
		return e.At
	case *Settled:
		return e.At
	case *Assigned:
		return e.At
	case *Revoked:
		return e.At
	case *Polled:
		return e.At
	case *TxnBegin:
		return e.At
	case *Outputs:
		return e.At
	case *Committing:
		return e.At
	case *Committed:
		return e.At
	case *Redelivered:
		return e.At
	case *Acknowledging:
		return e.At
	case *Acknowledged:
		return e.At
	case *TxnEnding:
		return e.At
	case *TxnEnded:
		return e.At
	case *Phase:
		return e.At
	case *Sample:
		return e.At
	case *Seen:
		return e.At
	case *Latency:
		return e.At
	case *Culprit:
		return e.At
	case *Mark:
		return e.At
	case *End:
		return e.At
	case *ProducerInit:
		return e.At
	case *Released:
		return e.At
	case *Replicas:
		return e.At
	case *LogEnd:
		return e.At
	}
	return 0
}
