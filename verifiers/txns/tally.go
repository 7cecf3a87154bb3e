package verifiers

// fate counts what became of records: of those outside transactions as the row's readers see it, of those in transactions
// as the log's control records say.
type fate struct {
	visible, aborted, hidden uint64
	// producer and epoch are the last record's batch's, where one transaction is looked into.
	producer int64
	epoch    int16
}

func (f *fate) add(v visibility, n uint64) {
	switch v {
	case visible:
		f.visible += n
	case aborted:
		f.aborted += n
	case hidden:
		f.hidden += n
	}
}

// present are the records that are in the log and not aborted.
func (f *fate) present() uint64 {
	if f == nil {
		return 0
	}
	return f.visible + f.hidden
}

// stored are the records that are in the log, whatever became of them.
func (f *fate) stored() uint64 {
	if f == nil {
		return 0
	}
	return f.visible + f.hidden + f.aborted
}

// shown are the records in the log that a reader is given, whom either isolation level may serve.
func (f *fate) shown(uncommitted bool) uint64 {
	if uncommitted {
		return f.stored()
	}
	return f.visible
}

func counters[K comparable](m map[K]map[int32]*fate, k K, partition int32) *fate {
	byPartition := m[k]
	if byPartition == nil {
		byPartition = map[int32]*fate{}
		m[k] = byPartition
	}
	f := byPartition[partition]
	if f == nil {
		f = &fate{}
		byPartition[partition] = f
	}
	return f
}

func mergeCounters[K comparable](to, from map[K]map[int32]*fate) {
	for k, byPartition := range from {
		for partition, f := range byPartition {
			t := counters(to, k, partition)
			t.visible += f.visible
			t.aborted += f.aborted
			t.hidden += f.hidden
		}
	}
}

// visibility is where a batch stands for a reader.
type visibility int

const (
	visible visibility = iota
	aborted
	hidden
)
