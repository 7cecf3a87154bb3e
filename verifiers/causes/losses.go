package causes

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

// Losses is why inputs are lost.
type Losses struct {
	By map[string]uint64
	// Anomalies are the first lost inputs, in full; Overtaking are the commits that went past lost inputs.
	Anomalies  []harness.Anomaly
	Overtaking []harness.OvertakingCommit
	Notes      []string
	truncated  Truncations
	// givenUp are those that a share group never acknowledged, nil for other rows.
	givenUp *keyset.Set
}

// The causes of a loss.
const (
	// byAbsence: a broker confirmed it, and nothing shows that it was ever in the log.
	ByAbsence = "acked but absent"
	// bySilence: sent with acks=0, where nothing is ever acknowledged.
	BySilence = "sent but absent"
	// BySkip: a commit passed it, and no output of it was ever confirmed to a worker.
	BySkip = "skipped"
	// ByGivingUp: below a share group's start, and no member acknowledged it: it was delivered as often as brokers allow.
	ByGivingUp = "given up"
	// byTruncation: it was in the log, and a newer leader epoch's records took its place.
	ByTruncation = "truncated"
	// byDeletion: it was below a log start that moved.
	ByDeletion = "deleted"
	// ByAbort: its output was in a transaction that was aborted, and its input offset was committed all the same.
	ByAbort = "aborted"
)

func (l *Losses) add(cause string, n uint64) {
	if n > 0 {
		l.By[cause] += n
	}
}

// FindLosses says why each lost input is lost, as far as can be shown.
func FindLosses(row *rows.Row, d *Copies, inTxns Gone) (*Losses, error) {
	l := &Losses{By: map[string]uint64{}, truncated: findTruncations(row.Out.Parts, row.Run.Live)}
	l.Notes = l.truncated.notes()
	switch {
	case row.Lost.Len() == 0:
		return l, nil
	case row.SourceUnderTest():
		return l, l.ofSource(row)
	}
	return l, l.ofPipeline(row, d, inTxns)
}

// deletionIn says how far a log start of the row's output moved.
func deletionIn(row *rows.Row, partition int32) *harness.Deletion {
	if partition < 0 || int(partition) >= len(row.Out.Parts) {
		return nil
	}
	return DeletionOf(row.Run, row.Out.Parts[partition])
}

// lostText says what became of a lost record, in a sentence.
func lostText(row *rows.Row, a *harness.Anomaly, k keyset.Key) string {
	text := row.RecordName(k)
	if a.Cause == "" {
		text += ": its partition's losses have several causes, and only counts tell them apart"
	}
	if a.Ack != nil {
		text = fmt.Sprintf("%s acked at %s/%d offset %d (%s)", row.RecordName(k), a.Ack.Topic, a.Ack.Partition, a.Ack.Offset, a.Ack.Now)
	}
	if a.Cause == BySilence {
		text += " (sent with acks=0: no acknowledgement was asked for)"
	}
	if t := a.Truncation; t != nil {
		text += ", truncated" + betweenEpochs(t)
	}
	if d := a.Deletion; d != nil {
		text += ", " + DescribeDeletion(d)
	}
	if t := a.Txn; t != nil {
		text += ", its output was in transaction " + words.Transaction(t) + ", which was aborted"
	}
	if c := a.Commit; c != nil {
		text += fmt.Sprintf(", passed by %s committing %d at %s", words.Incarnation(*c.By), c.Offset, row.Since(c.At))
	} else {
		text += row.PassedText(k, a.Cause == ByGivingUp)
	}
	return text
}
