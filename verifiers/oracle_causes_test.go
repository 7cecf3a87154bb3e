package verifiers

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// placedCopy is a copy of a record with the batch that holds it.
type placedCopy struct {
	number int32
	batch  *observation.Batch
	rec    observation.Record
}

// copiesOf lists every record's visible copies in the order of partitions and offsets, and which have an aborted one.
func copiesOf(w *world, layout harness.PipelineLayout) (seen map[tpo][]placedCopy, abortedToo map[tpo]bool) {
	seen, abortedToo = map[tpo][]placedCopy{}, map[tpo]bool{}
	for number := range int32(parts * len(layout.Outputs())) {
		topic, p := layout.Place(number, parts)
		fates, stable := fatesOf(w.logs[tp{topic, p}])
		for i, b := range w.logs[tp{topic, p}].batches {
			for _, rec := range b.Records {
				k := keyOf(layout, topic, rec)
				switch {
				case fates[i] == aborted:
					abortedToo[k] = true
				case rec.Offset < stable:
					seen[k] = append(seen[k], placedCopy{number, b, rec})
				}
			}
		}
	}
	return seen, abortedToo
}

// slowCause compares a copy with each earlier one. Drawn runs hold one processing of each record, so none is a second
// delivery.
func slowCause(c placedCopy, earlier []placedCopy) string {
	for _, o := range earlier {
		same := o.number == c.number && o.batch.ProducerID == c.batch.ProducerID && o.batch.ProducerEpoch == c.batch.ProducerEpoch
		if s := c.batch.Sequence(c.rec.Offset); same && c.batch.ProducerID >= 0 && s >= 0 && s == o.batch.Sequence(o.rec.Offset) {
			return byBroker
		}
	}
	for _, o := range earlier {
		if o.batch.ProducerID < 0 || c.batch.ProducerID < 0 {
			return byResend
		}
	}
	if o := earlier[0].batch; o.ProducerID != c.batch.ProducerID || o.ProducerEpoch != c.batch.ProducerEpoch {
		return byResendAcross
	}
	return byResendWithin
}

// requireSameCauses compares what duplicates and losses came of with the slow way's word.
func requireSameCauses(t *rapid.T, w *world, layout harness.PipelineLayout, position map[int32]int64, got harness.Numbers) {
	seen, abortedToo := copiesOf(w, layout)
	causes := map[string]uint64{}
	for _, copies := range seen {
		for i := 1; i < len(copies); i++ {
			causes[slowCause(copies[i], copies[:i])]++
		}
	}
	if len(causes) == 0 {
		causes = nil
	}
	require.Equal(t, causes, got.DuplicatesBy, layout.Name)
	var absent, dropped uint64
	for k := range inputsOf(w, layout) {
		switch {
		case len(seen[k]) > 0 || !layout.ProducerOnly && k.offset >= position[k.partition]:
		case abortedToo[k] && !layout.ProducerOnly:
			dropped++
		default:
			absent++
		}
	}
	if layout.ProducerOnly {
		require.Equal(t, absent, got.LostBy[byAbsence])
		return
	}
	if got.Hidden == 0 { // what is hidden may have an aborted copy as well
		require.Equal(t, dropped, got.LostBy[byAbort])
	}
}
