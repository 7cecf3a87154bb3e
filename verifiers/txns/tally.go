package txns

// Visibility is what becomes of records for a reader.
type Visibility int

// Visible records are delivered, aborted ones never, and hidden ones once the transaction that holds the last stable offset ends.
const (
	Visible Visibility = iota
	Aborted
	Hidden
)

// Tally counts records by what became of them: of those outside transactions as the row's readers see it, of those in
// transactions as the log's control records say. A nil tally is empty.
type Tally struct {
	Visible, Aborted, Hidden uint64
	// Producer and Epoch are those of the last record's batch, where one transaction is looked into.
	Producer int64
	Epoch    int16
}

// Add counts n records.
func (t *Tally) Add(v Visibility, n uint64) {
	switch v {
	case Visible:
		t.Visible += n
	case Aborted:
		t.Aborted += n
	case Hidden:
		t.Hidden += n
	}
}

// Present are the records that are in the log and not aborted.
func (t *Tally) Present() uint64 {
	if t == nil {
		return 0
	}
	return t.Visible + t.Hidden
}

// Stored are the records that are in the log, whatever became of them.
func (t *Tally) Stored() uint64 {
	if t == nil {
		return 0
	}
	return t.Visible + t.Hidden + t.Aborted
}

// Shown are the records that readers of an isolation level get: uncommitted ones get everything.
func (t *Tally) Shown(uncommitted bool) uint64 {
	if uncommitted {
		return t.Stored()
	}
	return t.Visible
}

// TallyOf is the tally of an incarnation's records in a partition, made where there is none.
func TallyOf(of map[Incarnation]map[int32]*Tally, i Incarnation, partition int32) *Tally {
	byPartition := of[i]
	if byPartition == nil {
		byPartition = map[int32]*Tally{}
		of[i] = byPartition
	}
	t := byPartition[partition]
	if t == nil {
		t = &Tally{}
		byPartition[partition] = t
	}
	return t
}

// MergeTallies adds tallies to others.
func MergeTallies(to, from map[Incarnation]map[int32]*Tally) {
	for i, byPartition := range from {
		for partition, t := range byPartition {
			into := TallyOf(to, i, partition)
			into.Visible += t.Visible
			into.Aborted += t.Aborted
			into.Hidden += t.Hidden
		}
	}
}
