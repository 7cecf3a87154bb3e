package causes

import (
	"cmp"
	"errors"
	"time"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// maxStalls is how many stalls of one partition are looked up in its log; figures count all of them.
const maxStalls = 200

// What ended a stall.
const (
	EndedByCommit   = "commit"
	EndedByClient   = "abort by client"
	EndedByTimeout  = "abort by timeout"
	EndedByNewEpoch = "new producer epoch"
	EndedByFault    = "abort by the fault transaction-abort"
	EndedUnasked    = "abort that no history explains"
)

// stateOngoing is a coordinator's state of a transaction that it has not begun to end.
const stateOngoing = "Ongoing"

// Stalls lists a row's stalls by partition and time, each with its transaction, what it held back, and what ended it.
func Stalls(row *rows.Row) ([]harness.Stall, error) {
	var all []harness.Stall
	threshold := cmp.Or(row.Run.Record.Bounds.StallThreshold, harness.DefaultBounds().StallThreshold)
	for p := range row.OutputPartitions() {
		at := row.At(int32(p))
		standing := row.Run.Live.Standstills[at]
		if standing == nil {
			continue
		}
		var here []harness.Stall
		for _, s := range standing.Longer(threshold, row.Run.Record.LoadStart) {
			here = append(here, seenStall(row, at, s))
		}
		if err := lookUp(row, row.OutputPartition(int32(p)), here[:min(len(here), maxStalls)]); err != nil {
			return nil, err
		}
		all = append(all, here...)
	}
	return all, explainStalls(row, all)
}

// seenStall is what the observer saw of one stall.
func seenStall(row *rows.Row, at ask.TopicPartition, s saved.Stall) harness.Stall {
	x := harness.Stall{
		Pipeline: row.Layout.Name, Topic: at.Topic, Partition: at.Partition, LSO: s.LSO, Start: int64(s.Start), End: int64(s.End),
		Length: s.Length(), Open: s.Open, HeldBack: s.Held, Fault: faultAt(row.Run, s.Start), Coordinator: -1, EndEpoch: -1,
	}
	for _, f := range row.Run.Record.Faults {
		if f.Injected != 0 && f.Injected <= s.End && (f.Healed == 0 || s.Start <= f.Healed) {
			x.Faults = append(x.Faults, f.Fault+" "+f.Target)
		}
	}
	first, last := row.Run.Live.AtLSO.Of(at, s.LSO)
	if last != nil {
		x.TransactionalID, x.ProducerID, x.ProducerEpoch, x.Coordinator = last.TransactionalID, last.ProducerID, last.ProducerEpoch, last.Coordinator
		x.State, x.StateAt, x.OnsetState = first.State, int64(first.At), stateAtOnset(row.Run, first, s.Start)
		x.EndState, x.EndStateAt = last.State, int64(last.At)
		x.Timeout = time.Duration(last.TimeoutMillis) * time.Millisecond
		if last.StartMillis > 0 {
			x.Began = int64(row.Run.Monotonic(last.StartMillis))
		}
	}
	if r := row.Run.Live.LSOAdvanced[saved.OffsetOf{TopicPartition: at, Offset: s.LSO}]; r != nil {
		x.EndState, x.EndStateAt, x.EndEpoch = r.State, int64(r.At), r.ProducerEpoch
	}
	return x
}

// stateAtOnset is what the first naming proves of the moment when the standstill began. No transaction becomes Ongoing
// again: one that still is, and that its coordinator began before that moment, was Ongoing all the time. A later transaction of the
// same producer proves nothing of the one that hangs. Coordinators tell whole milliseconds.
func stateAtOnset(r *saved.Run, first *history.TransactionAtLSO, onset history.Time) string {
	if first.State == stateOngoing && first.StartMillis > 0 && r.Monotonic(first.StartMillis+1) <= onset {
		return stateOngoing
	}
	return ""
}

// lookUp reads a partition's log for the transactions at the start of its stalls, what lies behind them, and their markers.
func lookUp(row *rows.Row, p *logs.Partition, stalls []harness.Stall) error {
	if p == nil || p.Idle || len(stalls) == 0 {
		return nil
	}
	_, tail, err := observation.ReadSpans(p.Path, func(b *observation.Batch) error {
		for i := range stalls {
			lookAt(row, b, &stalls[i])
		}
		return nil
	})
	return errors.Join(err, p.ReadAgain(tail))
}

// lookAt shows a stall one batch, in log order.
func lookAt(row *rows.Row, b *observation.Batch, s *harness.Stall) {
	if b.Damaged || b.Last < s.LSO {
		return
	}
	switch {
	case b.Transactional && !b.Control && b.First <= s.LSO:
		s.Txn = &harness.TxnRef{TransactionalID: s.TransactionalID, ProducerID: b.ProducerID, ProducerEpoch: int32(b.ProducerEpoch)}
		s.ProducerID, s.ProducerEpoch = b.ProducerID, int32(b.ProducerEpoch)
		if len(b.Spans) > 0 && b.Spans[0].First.Status == observation.Output {
			o := b.Spans[0].First.Origin
			by := row.IncarnationRef(txns.Of(o.Worker, o.Incarnation))
			s.Txn.By, s.Txn.Ordinal = &by, o.Txn
		}
	case b.Control && s.Txn != nil && s.Marker == nil && b.ProducerID == s.Txn.ProducerID:
		s.Marker = &harness.MarkerRef{
			Offset: b.First, Commit: b.Marker == observation.MarkerCommit, ProducerEpoch: b.ProducerEpoch,
			CoordinatorEpoch: b.CoordinatorEpoch, At: int64(row.Run.Monotonic(b.MaxTimestamp)),
		}
	}
	if !b.Control && b.First < s.LSO+s.HeldBack {
		for i := range b.Spans {
			s.Records += uint64(b.Spans[i].Count)
		}
		s.Bytes += int64(b.Bytes)
	}
}

// explainStalls says what ended each stall: by its marker, and for an abort by who asked for it.
func explainStalls(row *rows.Row, all []harness.Stall) error {
	wanted := map[txns.Block]bool{}
	for i := range all {
		if t := all[i].Txn; t != nil && t.By != nil && t.Ordinal != 0 && len(wanted) < row.Run.Pieces.Blocks {
			wanted[txns.BlockOf(txns.Of(t.By.Worker, t.By.Incarnation), t.Ordinal)] = true
		}
	}
	found, err := gatherTxns(row, txns.SortedBlocks(wanted))
	if err != nil {
		return err
	}
	byKey := map[txns.Key]*Suspect{}
	for _, s := range found {
		byKey[s.Key] = s
	}
	for i := range all {
		s := &all[i]
		var known *Suspect
		if t := s.Txn; t != nil && t.By != nil {
			nameByWorker(row, s)
			if known = byKey[txns.Key{Incarnation: txns.Of(t.By.Worker, t.By.Incarnation), Ordinal: t.Ordinal}]; known != nil {
				t.Outcome, t.Decided = known.OutcomeText(), decidedBy(s.Marker)
			}
		}
		if !s.Open && s.Marker != nil {
			s.EndedBy = endedBy(row, s, known)
		}
	}
	return nil
}

// nameByWorker gives a stall the transactional id that its worker used, if no broker named it: a transaction whose marker
// is in the leader's log, and not replicated, still holds the last stable offset, and is open no more for the broker.
func nameByWorker(row *rows.Row, s *harness.Stall) {
	w := row.Worker(txns.Of(s.Txn.By.Worker, s.Txn.By.Incarnation))
	if s.TransactionalID != "" || w == nil {
		return
	}
	id := ""
	for _, init := range w.Inits {
		if init.ID == "" || id != "" && id != init.ID {
			return // several ids: which one is not known
		}
		id = init.ID
	}
	s.TransactionalID, s.Txn.TransactionalID = id, id
}

func decidedBy(m *harness.MarkerRef) string {
	switch {
	case m == nil:
		return "open"
	case m.Commit:
		return "committed"
	}
	return "aborted"
}

// endedBy looks only at what came before the marker. A commit marker is the client's, because only it asks for one. An abort is the client's if its worker asked
// for it; else a newer session's with the same transactional id, if one asked for a producer id just before the
// marker; else the coordinator's, if the transaction had reached its timeout. Under transaction.version 2 every end
// raises the producer epoch, so the marker's epoch alone tells none of them apart.
func endedBy(row *rows.Row, s *harness.Stall, known *Suspect) string {
	marker := history.Time(s.Marker.At)
	switch {
	case s.Marker.Commit:
		return EndedByCommit
	case known != nil && known.AskedAt <= marker.Add(markerSlack) && (known.Asked && !known.AskedCommit || known.Txn.Aborted()):
		return EndedByClient
	}
	if abortedByHand(row, s) {
		return EndedByFault
	}
	if by := newerSession(row, s, marker); by != nil {
		s.EndedByIncarnation = by
		return EndedByNewEpoch
	}
	timeout, began := s.Timeout, history.Time(s.Began)
	if timeout == 0 {
		timeout = row.Run.Record.Shared.TransactionTimeout
	}
	if began == 0 && known != nil {
		began = known.Begun
	}
	if began == 0 {
		began = history.Time(s.Start)
	}
	if timeout > 0 && marker.Sub(began) >= timeout-clockSlack {
		return EndedByTimeout
	}
	return EndedUnasked
}

// abortedByHand reports whether a fault of the run wrote the abort marker of the transaction at the stalled offset.
func abortedByHand(row *rows.Row, s *harness.Stall) bool {
	for _, f := range row.Run.Record.Faults {
		for _, l := range f.Lasting {
			if l.What == harness.TransactionAborted && l.Topic == s.Topic && l.Partition == s.Partition && l.From == s.LSO {
				return true
			}
		}
	}
	return false
}

const (
	// clockSlack is how far wall and monotonic clocks, and a broker's and a client's idea of a transaction's start, lie apart.
	clockSlack = 500 * time.Millisecond
	// markerSlack is how far a marker's wall clock and its asker's monotonic one may differ: what was asked later than that
	// after the marker did not lead to it.
	markerSlack = 20 * time.Millisecond
	// sessionSlack is how long before a marker the request for a producer id that led to it may have been sent: the
	// coordinator has the markers written, and then lets the client try again.
	sessionSlack = 5 * time.Second
)

// newerSession finds who asked for a producer id with the stalled transaction's id just before its marker: another
// incarnation, or the same one in a new session.
func newerSession(row *rows.Row, s *harness.Stall, marker history.Time) *harness.Incarnation {
	if s.Txn == nil || s.Txn.By == nil {
		return nil
	}
	for _, w := range row.Workers {
		if w.Worker != s.Txn.By.Worker {
			continue
		}
		for _, init := range w.Inits {
			at, same := init.At, s.TransactionalID == "" || init.ID == "" || init.ID == s.TransactionalID
			if same && at > history.Time(s.Start) && at <= marker.Add(markerSlack) && marker.Sub(at) <= sessionSlack {
				by := saved.IncarnationRef(w)
				return &by
			}
		}
		// An older history, without requests for producer ids, says at least when the process began.
		later := w.Number > s.Txn.By.Incarnation && w.Since > history.Time(s.Start)
		if len(w.Inits) == 0 && later && w.Since <= marker && marker.Sub(w.Since) <= sessionSlack {
			by := saved.IncarnationRef(w)
			return &by
		}
	}
	return nil
}

// faultAt names the fault that was active at a moment.
func faultAt(r *saved.Run, at history.Time) string {
	for _, f := range r.Record.Faults {
		if f.Injected != 0 && f.Injected <= at && (f.Healed == 0 || at <= f.Healed) {
			return f.Fault + " " + f.Target
		}
	}
	return ""
}
