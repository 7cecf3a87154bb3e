package timeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Offered says when each of the records was handed to its source's client, by the intents that sources write before they
// send: also of records that no log holds. A record without an intent is left out.
func Offered(dir string, records []history.Identity) (map[history.Identity]history.Time, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	wanted := map[uint16][]uint64{}
	for _, r := range records {
		wanted[r.Source] = append(wanted[r.Source], r.Sequence)
	}
	for _, sequences := range wanted {
		slices.Sort(sequences)
	}
	offered := map[history.Identity]history.Time{}
	for _, h := range record.Histories {
		source := uint16(h.Number)
		if h.Role != "source" || len(wanted[source]) == 0 {
			continue
		}
		_, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
			if intent, ok := e.(*history.Intent); ok {
				note(offered, source, wanted[source], intent)
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("timeline: %w", err)
		}
	}
	return offered, nil
}

// note finds the wanted sequences of one intent; a source that was restarted may announce a sequence again, the first time
// counts.
func note(offered map[history.Identity]history.Time, source uint16, wanted []uint64, intent *history.Intent) {
	from, _ := slices.BinarySearch(wanted, intent.First)
	for _, sequence := range wanted[from:] {
		if sequence-intent.First >= intent.Count {
			return
		}
		id := history.Identity{Source: source, Sequence: sequence}
		if _, known := offered[id]; !known {
			offered[id] = intent.At
		}
	}
}
