package verifiers

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/verifiers/observation"
)

// cloneBatch is a batch of its own with the same records.
func cloneBatch(b *observation.Batch) *observation.Batch {
	c := *b
	c.Records = slices.Clone(b.Records)
	return &c
}

func drawPartition(t *rapid.T, w *world, topic string) *topicLog {
	return w.log(topic, int32(rapid.IntRange(0, parts-1).Draw(t, "partition")))
}

// disturb does something bad to an output log: drops, copies, swaps and empties batches, aborts or leaves out markers,
// or writes a batch of a new producer, in a transaction or outside.
func disturb(t *rapid.T, w *world, topic string) {
	l := drawPartition(t, w, topic)
	if len(l.batches) < 2 {
		return
	}
	i := rapid.IntRange(0, len(l.batches)-1).Draw(t, "batch")
	j := rapid.IntRange(0, len(l.batches)-1).Draw(t, "other")
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		l.batches = append(l.batches[:i:i], l.batches[i+1:]...)
	case 1:
		l.batches = append(l.batches, cloneBatch(l.batches[i]))
	case 2:
		l.batches[i], l.batches[j] = l.batches[j], l.batches[i]
	case 3:
		if n := len(l.batches[i].Records); n > 0 {
			l.dropRecord(l.batches[i], rapid.IntRange(0, n-1).Draw(t, "record"))
			return
		}
	case 4:
		if l.batches[i].Control {
			l.batches[i].Marker = observation.MarkerAbort
		}
	case 5:
		c := cloneBatch(l.batches[i])
		c.ProducerID, c.BaseSequence, c.Transactional = int64(rapid.IntRange(900, 903).Draw(t, "pid")), -1, transactional(topic)
		if !c.Control {
			l.batches = append(l.batches, c)
		}
	case 6:
		if transactional(topic) {
			m := observation.Marker(rapid.IntRange(1, 2).Draw(t, "marker"))
			l.batches = append(l.batches, marker(int64(rapid.IntRange(900, 903).Draw(t, "pid")), m))
		}
	}
	l.renumber()
}

func transactional(topic string) bool {
	return topic != "out-"+srcName && topic != "out-"+plainName && topic != "out-"+shareName && topic != "out-"+notifyName
}

// drawStrange makes a record of an output log one that is not its row's, or can't be read.
func drawStrange(t *rapid.T, w *world, topic string) {
	l := drawPartition(t, w, topic)
	full := slices.DeleteFunc(slices.Clone(l.batches), func(b *observation.Batch) bool { return len(b.Records) == 0 })
	if len(full) == 0 {
		return
	}
	b := rapid.SampledFrom(full).Draw(t, "batch")
	rec := &b.Records[rapid.IntRange(0, len(b.Records)-1).Draw(t, "record")]
	switch rapid.IntRange(0, 6).Draw(t, "what") {
	case 0:
		*rec = observation.Record{Offset: rec.Offset, Status: observation.Corrupt}
	case 1:
		*rec = observation.Record{Offset: rec.Offset, Status: observation.Foreign}
	case 2:
		b.Damaged, b.Records = true, nil
	case 3:
		rec.Sequence = drawnRecords + rapid.Uint64Range(0, 9).Draw(t, "sequence") // never sent, or not yet
	case 4:
		rec.Source = 7
	case 5:
		rec.Sequence = rapid.Uint64Range(0, drawnRecords-1).Draw(t, "sequence")
	case 6:
		if topic != "out-"+srcName {
			rec.Origin.Offset = rapid.Int64Range(0, 40).Draw(t, "origin")
		}
	}
}

// drawInput drops, copies and spoils records of the input, as a bad disk or a bad source would, or has its source have written
// them in a transaction. Offsets stay what they were.
func drawInput(t *rapid.T, w *world) {
	l := drawPartition(t, w, inTopic)
	b := rapid.SampledFrom(l.batches).Draw(t, "batch")
	if len(b.Records) == 0 {
		return
	}
	i := rapid.IntRange(0, len(b.Records)-1).Draw(t, "record")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 4:
		if b.Transactional {
			return
		}
		b.Transactional, b.ProducerID = true, int64(700+len(l.batches))
		if m := rapid.IntRange(0, 2).Draw(t, "marker"); m > 0 {
			l.append(marker(b.ProducerID, observation.Marker(m)))
		}
	case 0:
		l.dropRecord(b, i)
	case 1:
		l.append(&observation.Batch{ProducerID: 100, Records: []observation.Record{b.Records[i]}})
	case 2:
		b.Records[i] = observation.Record{Offset: b.Records[i].Offset, Status: observation.Corrupt}
	case 3:
		b.Records[i] = observation.Record{Offset: b.Records[i].Offset, Status: observation.Foreign}
	}
}
