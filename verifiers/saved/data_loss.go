package saved

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/history"
)

// DataLoss is a notice of the live reader's client: the brokers let it know that the log that it had read is not the log any more.
type DataLoss struct {
	At history.Time
	// From is where the two part, as far as the notice says: 0 where the client read on and says so.
	From int64
}

// mark takes what the live reader says of itself.
func (l *Live) mark(e *history.Mark) {
	switch e.Name {
	case history.MarkSequences:
		l.Sequences = true
	case history.MarkDataLoss:
		l.lostData(e)
	}
}

// lostData takes a notice of lost data. Its text is the client's (kgo.ErrDataLoss), behind the partition.
func (l *Live) lostData(e *history.Mark) {
	var (
		topic               string
		partition           int32
		to, from            int64
		toEpoch, resetEpoch int32
	)
	_, text, _ := strings.Cut(e.Text, ": ")
	n, _ := fmt.Sscanf(text, "topic %s partition %d lost records; the client consumed to offset %d epoch %d but was reset to offset %d epoch %d",
		&topic, &partition, &to, &toEpoch, &from, &resetEpoch)
	if n < 2 {
		return
	}
	at := ask.TopicPartition{Topic: topic, Partition: partition}
	l.DataLoss[at] = append(l.DataLoss[at], DataLoss{e.At, from})
}
