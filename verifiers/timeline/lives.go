package timeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Life is one incarnation of a source or a worker.
type Life struct {
	Member      string
	Incarnation int
	From        history.Time
	// To is when its last entry was recorded: its end where it was killed, and hardly before where it ended in order.
	To     history.Time
	Killed bool
	// Cut means that the history ends without an end, and that its writer was not killed.
	Cut bool
	// Unread means that the history could not be read: From and To are 0.
	Unread bool
}

// Lives lists every source's and worker's incarnations, by member and incarnation.
func Lives(dir string) ([]Life, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	var all []Life
	for _, h := range record.Histories {
		if h.Role == "harness" {
			continue
		}
		life, err := lifeOf(dir, record, h)
		if err != nil {
			return nil, fmt.Errorf("timeline: %w", err)
		}
		all = append(all, life)
	}
	slices.SortFunc(all, func(a, b Life) int {
		return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	return all, nil
}

func lifeOf(dir string, record *harness.RunRecord, h harness.HistoryRecord) (Life, error) {
	life := Life{Member: h.Process, Incarnation: h.Incarnation, Killed: h.Killed}
	ended := false
	_, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
		at := history.When(e)
		if life.From == 0 {
			life.From = at
		}
		if !record.Away(at) {
			life.To = max(life.To, at)
		}
		if _, is := e.(*history.End); is {
			ended = true
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		life.Unread = true
		return life, nil
	}
	life.Cut = !ended && !h.Killed
	return life, err
}
