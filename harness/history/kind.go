package history

import "fmt"

// kind is an entry's number on disk. A new kind takes the next number; a number is never used for another kind.
type kind byte

// kinds lists each kind, with the name by which the evidence shows it. Its number is what its kind method returns.
var kinds = []struct {
	name string
	make func() Entry
}{
	{"process", entry[Process]},
	{"intent", entry[Intent]},
	{"acked", entry[Acked]},
	{"settled", entry[Resolved]},
	{"assigned", entry[Assigned]},
	{"revoked", entry[Revoked]},
	{"polled", entry[Polled]},
	{"txn-begin", entry[TxnBegin]},
	{"outputs", entry[Outputs]},
	{"committing", entry[Committing]},
	{"committed", entry[Committed]},
	{"txn-ending", entry[TxnEnding]},
	{"txn-ended", entry[TxnEnded]},
	{"phase", entry[Phase]},
	{"sample", entry[Sample]},
	{"seen", entry[DeliveredLive]},
	{"latency", entry[Latency]},
	{"culprit", entry[TransactionAtLSO]},
	{"mark", entry[Mark]},
	{"end", entry[End]},
	{"replicas", entry[Replicas]},
	{"log-end", entry[LogEnd]},
	{"released", entry[LSOAdvanced]},
	{"producer-init", entry[ProducerInit]},
	{"acknowledging", entry[Acknowledging]},
	{"acknowledged", entry[Acknowledged]},
	{"redelivered", entry[Redelivered]},
	{"txn-records", entry[TxnRecords]},
}

func entry[T any, P interface {
	*T
	Entry
}]() Entry {
	return P(new(T))
}

// maxKind is the largest number that a reader keeps an entry of for use again. It makes a new entry of larger ones each
// time.
const maxKind = 63

// byNumber are the places in kinds, by the kinds' numbers; -1 for a number that no kind has.
var byNumber = func() (places [256]int) {
	for i := range places {
		places[i] = -1
	}
	for i := range kinds {
		places[kinds[i].make().kind()] = i
	}
	return places
}()

// Kinds returns an empty entry of every kind: for tests of code that must know them all.
func Kinds() []Entry {
	var all []Entry
	for _, k := range kinds {
		all = append(all, k.make())
	}
	return all
}

// Name is the name of an entry's kind, as the evidence shows it.
func Name(e Entry) string { return kinds[byNumber[e.kind()]].name }

func newEntry(k kind) (Entry, error) {
	i := byNumber[k]
	if i < 0 {
		return nil, fmt.Errorf("unknown entry kind %d: written by a newer chaeos", k)
	}
	return kinds[i].make(), nil
}
