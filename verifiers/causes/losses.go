package verifiers

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
)

// losses is why inputs are lost.
type losses struct {
	by map[string]uint64
	// anomalies are the first lost inputs, in full; passes the commits that went past lost inputs.
	anomalies []harness.Anomaly
	passes    []harness.Pass
	notes     []string
	truncated truncations
	// givenUp are those that a share group never acknowledged (nil where there is none).
	givenUp *keyset.Set
}

// The causes of a loss.
const (
	// byAbsence: a broker confirmed it, and nothing shows that it was ever in the log.
	byAbsence = "acked but absent"
	// bySilence: sent with acks=0, where nothing is ever acknowledged.
	bySilence = "sent but absent"
	// bySkip: committed past, and no worker was told that an output of it is stored.
	bySkip = "skipped"
	// byGivingUp: below a share group's start, and no member acknowledged it: it was handed out as often as brokers do.
	byGivingUp = "given up"
	// byTruncation: it was in the log, and a newer leader epoch's records took its place.
	byTruncation = "truncated"
	// byDeletion: it was below a log start that moved.
	byDeletion = "deleted"
	// byAbort: its output was in a transaction that was aborted, and its position was committed all the same.
	byAbort = "aborted"
)

func (l *losses) add(cause string, n uint64) {
	if n > 0 {
		l.by[cause] += n
	}
}

// findLosses says why each lost input is lost, as far as the evidence goes.
func findLosses(e *row, d *provenance, inTxns map[int32]uint64) (*losses, error) {
	l := &losses{by: map[string]uint64{}, truncated: findTruncations(e.out.parts, e.run.live)}
	l.notes = l.truncated.notes()
	switch {
	case e.lost.Len() == 0:
		return l, nil
	case e.layout.ProducerOnly:
		return l, l.ofSource(e)
	}
	return l, l.ofPipeline(e, d, inTxns)
}

// deletionIn says how far a log start of the row's output moved.
func deletionIn(e *row, partition int32) *harness.Deletion {
	if partition < 0 || int(partition) >= len(e.out.parts) {
		return nil
	}
	return deletionOf(e.run, e.out.parts[partition])
}

// lostText says what became of a lost record, in a sentence.
func lostText(e *row, a *harness.Anomaly, k keyset.Key) string {
	text := e.name(k)
	if a.Cause == "" {
		text += ": its partition's losses have several causes, and only counts tell them apart"
	}
	if a.Ack != nil {
		text = fmt.Sprintf("%s acked at %s/%d offset %d (%s)", e.name(k), a.Ack.Topic, a.Ack.Partition, a.Ack.Offset, a.Ack.Holder)
	}
	if a.Cause == bySilence {
		text += " (sent with acks=0: nobody said that it is stored)"
	}
	if t := a.Truncation; t != nil {
		text += fmt.Sprintf(", truncated between leader epochs %d and %d (%s)", t.OldEpoch, t.NewEpoch, t.SeenBy)
	}
	if d := a.Deletion; d != nil {
		text += ", " + describeDeletion(d)
	}
	if t := a.Txn; t != nil {
		text += ", its output was in transaction " + nameTxn(t) + ", which was aborted"
	}
	if c := a.Commit; c != nil {
		text += fmt.Sprintf(", passed by %s committing %d at %s", nameLife(*c.By), c.Offset, e.since(c.At))
	} else if e.layout.ShareGroup {
		text += shareText(e, a, k)
	} else if !e.layout.ProducerOnly {
		text += fmt.Sprintf(", passed by the committed position %d", e.position[e.inputOf(k.Class)])
	}
	return text
}
