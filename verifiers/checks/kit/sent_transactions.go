package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// SentTransactions gathers the transactions of a source under test from its log: their records name no transaction, but a
// transaction's are of one block of sequences and one producer id and epoch.
type SentTransactions struct {
	row   *rows.Subject
	parts map[int32]*sentInto
}

// WritesTransactions reports whether the row is a source that writes in transactions.
func WritesTransactions(s *rows.Subject) bool { return s.SourceUnderTest() && s.Layout.Transactional }

// NewSentTransactions gathers those of a row.
func NewSentTransactions(s *rows.Subject) *SentTransactions {
	return &SentTransactions{row: s, parts: map[int32]*sentInto{}}
}

// Output implements OutputReader.
func (c *SentTransactions) Output(p *logs.Partition) logs.Reader {
	of := &sentInto{row: c.row, of: map[sentKey]*SentCount{}}
	c.parts[p.Number] = of
	return of
}

// sentKey tells the transactions of a source apart.
type sentKey struct {
	block    int
	producer int64
	epoch    int16
}

// SentCount counts a transaction's records in one partition by what the log's control records made of them.
type SentCount struct{ Visible, Aborted, Hidden uint32 }

// sentInto are those with records in one partition. The batch before mostly was of the same one.
type sentInto struct {
	row  *rows.Subject
	of   map[sentKey]*SentCount
	last sentKey
	at   *SentCount
}

// Batch implements logs.Reader.
func (s *sentInto) Batch(b *logs.Batch) {
	if !b.Transactional || b.Control || b.ProducerID < 0 {
		return
	}
	for i := range b.Pieces {
		p := &b.Pieces[i]
		if p.Kind != logs.Sound {
			continue
		}
		first := keyset.Key{Partition: p.Partition, Index: p.From}.Sequence(s.row.Run.Record.Plan.Partitions)
		block := s.row.Source.Txns.Block(first)
		if block < 0 {
			continue
		}
		s.add(sentKey{block, b.ProducerID, b.ProducerEpoch}, b.Decided, uint32(p.Count))
	}
}

func (s *sentInto) add(key sentKey, decided txns.Visibility, n uint32) {
	if s.at == nil || key != s.last {
		if s.at = s.of[key]; s.at == nil {
			s.at = &SentCount{}
			s.of[key] = s.at
		}
		s.last = key
	}
	switch decided {
	case txns.Visible:
		s.at.Visible += n
	case txns.Aborted:
		s.at.Aborted += n
	case txns.Hidden:
		s.at.Hidden += n
	}
}

// SentTransaction is one of them: what the source recorded of it (nil if the history does not tell it from others), and what
// the log holds of it, by output partition.
type SentTransaction struct {
	*saved.SourceTxn
	Producer int64
	Epoch    int16
	Log      map[int32]*SentCount
}

// All lists them in the order of their sequences.
func (c *SentTransactions) All() (all []*SentTransaction) {
	logs := map[sentKey]map[int32]*SentCount{}
	attempts := map[int]int{}
	for number, of := range c.parts {
		for key, count := range of.of {
			if logs[key] == nil {
				logs[key] = map[int32]*SentCount{}
				attempts[key.block]++
			}
			logs[key][number] = count
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(logs), compareSent) {
		all = append(all, &SentTransaction{c.recorded(key, attempts[key.block]), key.producer, key.epoch, logs[key]})
	}
	return all
}

func compareSent(a, b sentKey) int {
	return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.producer, b.producer), cmp.Compare(a.epoch, b.epoch))
}

// recorded is what the source recorded of a transaction. Of a source that did not record its producer, it is known only if the
// block was tried once.
func (c *SentTransactions) recorded(key sentKey, attempts int) *saved.SourceTxn {
	of := c.row.Source.Txns.Of(key.block)
	for _, t := range of {
		if t.Producer == key.producer && t.Epoch == key.epoch {
			return t
		}
	}
	if len(of) == 1 && attempts == 1 && of[0].Producer < 0 {
		return of[0]
	}
	return nil
}

// String names the transaction for people.
func (t *SentTransaction) String() string {
	if t.SourceTxn == nil {
		return fmt.Sprintf("a transaction of producer id %d epoch %d", t.Producer, t.Epoch)
	}
	return fmt.Sprintf("transaction %d (incarnation %d, sequences %d to %d)", t.Ordinal, t.Incarnation, t.First, t.First+max(1, t.Count)-1)
}

// OutcomeText is what the source learnt of it, in words.
func (t *SentTransaction) OutcomeText() string {
	if t.SourceTxn == nil {
		return "not known which"
	}
	return t.SourceTxn.OutcomeText()
}

// Sum adds up its records over all partitions.
func (t *SentTransaction) Sum() (sum SentCount) {
	for _, x := range t.Log {
		sum.Visible += x.Visible
		sum.Aborted += x.Aborted
		sum.Hidden += x.Hidden
	}
	return sum
}

// AddSent counts n things of one transaction of a source, which example puts in words.
func (c *OfTransactions) AddSent(r *rows.Row, t *SentTransaction, n uint64, example func() string) {
	if c.N += n; n == 0 || len(c.Anomalies) >= r.Keep.Most {
		return
	}
	ref := &harness.TxnRef{ProducerID: t.Producer, ProducerEpoch: int32(t.Epoch), Outcome: t.OutcomeText(), Decided: t.decided()}
	if t.SourceTxn != nil {
		ref.Ordinal = t.Ordinal
	}
	if ids := r.Layout.TransactionalIDs; len(ids) > 0 {
		ref.TransactionalID = ids[0]
	}
	c.Anomalies = append(c.Anomalies, harness.Anomaly{Kind: c.Kind, Txn: ref, Text: example()})
}

func (t *SentTransaction) decided() string {
	switch sum := t.Sum(); {
	case sum.Visible > 0 && sum.Aborted > 0:
		return "committed and aborted"
	case sum.Visible > 0:
		return "committed"
	case sum.Aborted > 0:
		return "aborted"
	}
	return "open"
}
