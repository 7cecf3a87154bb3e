package txns

// fate counts what became of records: of those outside transactions as the row's readers see it, of those in transactions
// as the log's control records say.
type Tally struct {
	Visible, Aborted, Hidden uint64
	// producer and epoch are the last record's batch's, where one transaction is looked into.
	Producer int64
	Epoch    int16
}

func (f *Tally) Add(v Visibility, n uint64) {
	switch v {
	case Visible:
		f.Visible += n
	case Aborted:
		f.Aborted += n
	case Hidden:
		f.Hidden += n
	}
}

// present are the records that are in the log and not aborted.
func (f *Tally) Present() uint64 {
	if f == nil {
		return 0
	}
	return f.Visible + f.Hidden
}

// stored are the records that are in the log, whatever became of them.
func (f *Tally) Stored() uint64 {
	if f == nil {
		return 0
	}
	return f.Visible + f.Hidden + f.Aborted
}

// shown are the records in the log that a reader is given, whom either isolation level may serve.
func (f *Tally) Shown(uncommitted bool) uint64 {
	if uncommitted {
		return f.Stored()
	}
	return f.Visible
}

func TallyOf[K comparable](m map[K]map[int32]*Tally, k K, partition int32) *Tally {
	byPartition := m[k]
	if byPartition == nil {
		byPartition = map[int32]*Tally{}
		m[k] = byPartition
	}
	f := byPartition[partition]
	if f == nil {
		f = &Tally{}
		byPartition[partition] = f
	}
	return f
}

func MergeTallies[K comparable](to, from map[K]map[int32]*Tally) {
	for k, byPartition := range from {
		for partition, f := range byPartition {
			t := TallyOf(to, k, partition)
			t.Visible += f.Visible
			t.Aborted += f.Aborted
			t.Hidden += f.Hidden
		}
	}
}

// visibility is where a batch stands for a reader.
type Visibility int

const (
	Visible Visibility = iota
	Aborted
	Hidden
)
