package causes

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// handOut is one time that a share group's brokers delivered a record to a member.
type handOut struct {
	txns.Incarnation
	at         history.Time
	processing uint64
	// times is how often the brokers say they delivered it, this time included; 0: they said nothing.
	times uint64
	// ack is what the member did to acknowledge it, as far as it got.
	ack acknowledgement
}

// acknowledgement is what a member did to acknowledge a record: it began to, and was answered.
type acknowledgement struct {
	begun, answered bool
	outcome         history.Outcome
	reason          string
	at              history.Time
}

// handOuts are what a share group's workers were delivered: in time order, by input.
type handOuts struct {
	of map[keyset.Key][]*handOut
	// until are the times of each incarnation's last entry: by then at the latest it had ended.
	until map[txns.Incarnation]history.Time
}

// findHandOuts reads the histories of a share group's workers again for every time that one of the wanted inputs was delivered.
func findHandOuts(row *rows.Row, wanted map[keyset.Key][]Copy) (handOuts, error) {
	all := handOuts{map[keyset.Key][]*handOut{}, map[txns.Incarnation]history.Time{}}
	offsets := map[int32][]int64{}
	for k := range wanted {
		offsets[k.Partition] = append(offsets[k.Partition], int64(k.Index))
	}
	for _, of := range offsets {
		slices.Sort(of)
	}
	for _, w := range row.Workers {
		l := handOutsOf{Incarnation: w.Incarnation, wanted: offsets, last: map[keyset.Key]*handOut{}}
		l.take = func(k keyset.Key, h *handOut) { all.of[k] = append(all.of[k], h) }
		if _, err := history.Scan(filepath.Join(row.Run.Dir, w.File), func(entry history.Entry) error {
			l.add(entry)
			all.until[w.Incarnation] = max(all.until[w.Incarnation], history.When(entry))
			return nil
		}); err != nil {
			return all, err
		}
	}
	for _, of := range all.of {
		slices.SortStableFunc(of, func(a, b *handOut) int { return cmp.Compare(a.at, b.at) })
	}
	return all, nil
}

// handOutsOf follows one incarnation of a member.
type handOutsOf struct {
	txns.Incarnation
	// wanted are the offsets of wanted records by partition, sorted.
	wanted map[int32][]int64
	// last is the newest hand-out of each record.
	last map[keyset.Key]*handOut
	take func(keyset.Key, *handOut)
}

func (l *handOutsOf) add(entry history.Entry) {
	switch e := entry.(type) {
	case *history.Polled:
		l.each(e.Partition, e.From, e.To, func(k keyset.Key) {
			h := &handOut{Incarnation: l.Incarnation, at: e.At, processing: e.Processing + k.Index - uint64(e.From)}
			l.last[k] = h
			l.take(k, h)
		})
	case *history.Redelivered:
		l.known(e.Partition, e.From, e.To, func(h *handOut) { h.times = e.Count })
	case *history.Acknowledging:
		for _, r := range e.Ranges {
			l.known(r.Partition, r.From, r.To, func(h *handOut) { h.ack = acknowledgement{begun: true} })
		}
	case *history.Acknowledged:
		for _, r := range e.Ranges {
			ack := acknowledgement{begun: true, answered: true, outcome: e.Outcome, reason: e.Reason, at: e.At}
			l.known(r.Partition, r.From, r.To, func(h *handOut) { h.ack = ack })
		}
	}
}

// each shows the wanted records of a range.
func (l *handOutsOf) each(partition int32, from, to int64, show func(keyset.Key)) {
	wanted := l.wanted[partition]
	first, _ := slices.BinarySearch(wanted, from)
	for _, offset := range wanted[first:] {
		if offset >= to {
			return
		}
		show(keyset.Key{Partition: partition, Index: uint64(offset)})
	}
}

// known shows the newest hand-outs of a range's records.
func (l *handOutsOf) known(partition int32, from, to int64, show func(*handOut)) {
	l.each(partition, from, to, func(k keyset.Key) {
		if h := l.last[k]; h != nil {
			show(h)
		}
	})
}

// LockDuration is the broker property that says how long a member may keep a record, defaultLock Kafka's own value.
const (
	LockDuration = "group.share.record.lock.duration.ms"
	defaultLock  = 30 * time.Second
)

// lock is how long the run's brokers left a record with a member.
func lock(r *saved.Run) time.Duration {
	if d, err := time.ParseDuration(r.Record.Properties[LockDuration] + "ms"); err == nil && d > 0 {
		return d
	}
	return defaultLock
}
