package causes

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// Copy is one copy of an input in the output log.
type Copy struct {
	// partition is the output partition's number.
	partition int32
	offset    int64
	producer  int64
	epoch     int16
	sequence  int32
	leader    int32
	txns.Incarnation
	processing, txn uint64
}

// Copies is why duplicates exist.
type Copies struct {
	By map[string]uint64
	// same counts, by incarnation and output partition, further copies of one processing.
	same map[txns.Incarnation]map[int32]*txns.Tally
	// Anomalies are the first duplicated inputs with all their copies; Rereads are what led to second deliveries.
	Anomalies []harness.Anomaly
	charged   rereads
	Rereads   []harness.Reread
	// handed are the deliveries of the inputs in hand, if the row is a share group's.
	handed handOuts
}

// The causes of a duplicate.
const (
	// byBroker: the same producer id, epoch and record sequence stored twice.
	ByBroker = "broker"
	// One processing of a record stored several times. Without a producer id no broker can know; with another id or epoch this
	// broker could not; under one id and epoch the producer gave the record a new sequence.
	ByResend       = "resend without producer id"
	ByResendAcross = "resend across producer ids"
	ByResendWithin = "resend under one producer id"
	// byCall: the external service was called again for one processing of a record, and stored it again.
	ByCall = "called again"
	// ByProcess is a second delivery; after it comes why, if the histories show it.
	ByProcess = "reprocessed"
)

// MaxExamples bounds how many anomalies of a kind are kept in full.
const MaxExamples = 3

// TraceCopies reads the copies of every duplicated input again and says why each further one exists.
func TraceCopies(row *rows.Row) (*Copies, error) {
	p := &Copies{By: map[string]uint64{}, same: map[txns.Incarnation]map[int32]*txns.Tally{}}
	chunk := map[keyset.Key][]Copy{}
	var failed error
	flush := func() bool {
		failed = p.chunk(row, chunk)
		clear(chunk)
		return failed == nil
	}
	row.Out.Repeated.Compact() // partitions are read at the same time
	row.Out.Repeated.Each(func(k keyset.Key) bool {
		chunk[k] = nil
		return len(chunk) < row.Run.Pieces.Copies || flush()
	})
	if failed == nil && len(chunk) > 0 {
		flush()
	}
	if failed == nil {
		p.Rereads, failed = p.charged.finish(row)
	}
	for i := range p.Anomalies {
		a := &p.Anomalies[i]
		a.Text = fmt.Sprintf("%s is there %d times (%s): %s", row.RecordName(row.RecordKey(a.Record)), len(a.Copies), a.Cause, Places(row, a.Copies))
		for _, x := range rereadsOf(a.Copies) {
			a.Text += "; " + x.Text
		}
	}
	return p, failed
}

func (p *Copies) chunk(row *rows.Row, chunk map[keyset.Key][]Copy) error {
	if err := findCopies(row, chunk, row.Out.Repeated, txns.Visible); err != nil {
		return err
	}
	if row.SharesRecords() {
		var err error
		if p.handed, err = findHandOuts(row, chunk); err != nil {
			return err
		}
	}
	keys := make([]keyset.Key, 0, len(chunk))
	for k := range chunk {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b keyset.Key) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Index, b.Index))
	})
	for _, k := range keys {
		p.explain(row, k, chunk[k])
	}
	return nil
}

type keyedCopy struct {
	key keyset.Key
	Copy
}

// findCopies reads the row's output again for the copies of some inputs, all of them in among, that stand as asked.
func findCopies(row *rows.Row, wanted map[keyset.Key][]Copy, among *keyset.Set, stand txns.Visibility) error {
	if len(wanted) == 0 {
		return nil
	}
	found := make([][]keyedCopy, len(row.Out.Parts))
	err := together.AtMost(runtime.GOMAXPROCS(0), len(row.Out.Parts), func(i int) error {
		p := row.Out.Parts[i]
		return row.Out.Each(p, row.Out.MayHold(p, among), func(b *logs.Batch) {
			if b.Visibility == stand {
				found[i] = collect(found[i], p, b, among, wanted)
			}
		})
	})
	if err != nil {
		return err
	}
	for _, of := range found {
		for _, x := range of {
			wanted[x.key] = append(wanted[x.key], x.Copy)
		}
	}
	return nil
}

// collect appends a batch's copies of wanted inputs.
func collect(to []keyedCopy, p *logs.Partition, b *logs.Batch, among *keyset.Set, wanted map[keyset.Key][]Copy) []keyedCopy {
	for i := range b.Pieces {
		piece := &b.Pieces[i]
		if piece.Kind != logs.Sound || !among.HasAny(piece.Partition, piece.From, piece.To()) {
			continue
		}
		for j := range piece.Count {
			key := keyset.Key{Partition: piece.Partition, Index: piece.From + uint64(j)}
			if _, asked := wanted[key]; !asked {
				continue
			}
			rec := piece.Record(j)
			to = append(to, keyedCopy{key, Copy{
				partition: p.Number, offset: rec.Offset, producer: b.ProducerID, epoch: b.ProducerEpoch, sequence: b.Sequence(rec.Offset),
				leader: b.LeaderEpoch, Incarnation: txns.Of(rec.Worker, rec.Incarnation), processing: rec.Processing, txn: rec.Txn,
			}})
		}
	}
	return to
}

// explain gives every copy but the first its cause, by the earlier ones.
func (p *Copies) explain(row *rows.Row, k keyset.Key, copies []Copy) {
	a := harness.Anomaly{Kind: harness.AnomalyDuplicate, Record: row.RecordRef(k)}
	for i, c := range copies {
		cause, reread := "", (*harness.Reread)(nil)
		if i > 0 {
			cause, reread = p.cause(row, k, c, copies[:i])
			p.By[cause]++
			a.Cause = cmp.Or(a.Cause, cause)
			if !strings.HasPrefix(cause, ByProcess) && (c.txn == 0 || !row.HasLSO()) {
				txns.TallyOf(p.same, c.Incarnation, c.partition).Visible++
			}
		}
		ref := copyRef(row, c, cause)
		ref.Reread = reread
		a.Copies = append(a.Copies, ref)
	}
	if len(p.Anomalies) < row.Keep.Most || row.Asked[k] {
		p.Anomalies = append(p.Anomalies, a)
	}
}

// rereadsOf lists what a record's later copies came of, each once.
func rereadsOf(copies []harness.CopyRef) (all []*harness.Reread) {
	for _, c := range copies {
		if c.Reread != nil && !slices.Contains(all, c.Reread) {
			all = append(all, c.Reread)
		}
	}
	return all
}

// cause says why a copy exists after the earlier ones: the best explanation that any of them gives. A second delivery
// comes with the reread that it is charged to, if a history shows one.
func (p *Copies) cause(row *rows.Row, k keyset.Key, c Copy, earlier []Copy) (cause string, by *harness.Reread) {
	for _, o := range earlier {
		switch same := row.SourceUnderTest() || o.Incarnation == c.Incarnation && o.processing == c.processing; {
		case c.producer >= 0 && c.sequence >= 0 && o.partition == c.partition && o.producer == c.producer && o.epoch == c.epoch && o.sequence == c.sequence:
			return ByBroker, nil
		case same && !row.HasLSO():
			cause = ByCall
		case same && (o.producer < 0 || c.producer < 0):
			cause = ByResend
		case same && (o.producer != c.producer || o.epoch != c.epoch):
			cause = cmp.Or(cause, ByResendAcross)
		case same:
			cause = cmp.Or(cause, ByResendWithin)
		}
	}
	if cause != "" {
		return cause, nil
	}
	if row.SharesRecords() {
		return ByProcess + " after " + RereadRedelivery, p.charged.redelivered(row, k, c, p.handed)
	}
	why, by := p.charged.note(row, row.InputOf(k.Partition), earlier[len(earlier)-1], c)
	if why == "" {
		return ByProcess, nil
	}
	return ByProcess + " after " + why, by
}

func copyRef(row *rows.Row, c Copy, cause string) harness.CopyRef {
	at := row.At(c.partition)
	ref := harness.CopyRef{
		Topic: at.Topic, Partition: at.Partition, Offset: c.offset, ProducerID: c.producer, ProducerEpoch: c.epoch,
		Sequence: c.sequence, LeaderEpoch: c.leader, Processing: c.processing, Txn: c.txn, Cause: cause,
	}
	if !row.SourceUnderTest() {
		by := row.IncarnationRef(c.Incarnation)
		ref.By = &by
	}
	return ref
}

// Places says where copies are, and which worker wrote them.
func Places(row *rows.Row, copies []harness.CopyRef) string {
	text := ""
	for i, c := range copies[:min(len(copies), MaxExamples)] {
		if i > 0 {
			text += " and "
		}
		text += fmt.Sprintf("%s/%d offset %d", c.Topic, c.Partition, c.Offset)
		if !row.SourceUnderTest() {
			text += fmt.Sprintf(" (worker %d incarnation %d)", c.By.Worker, c.By.Incarnation)
		}
	}
	return text
}
