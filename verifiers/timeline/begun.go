package timeline

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// Txn is a transaction as its worker numbered it.
type Txn struct {
	Pipeline    string
	Worker      uint16
	Incarnation uint32
	Ordinal     uint64
}

// Begun says when each of the transactions was begun, by their workers' histories: also of those of which no log holds
// anything. A transaction that no history tells of is left out.
func Begun(dir string, txns []Txn) (map[Txn]history.Time, error) {
	record, err := harness.LoadRecord(dir)
	if err != nil {
		return nil, err
	}
	wanted := map[Txn]bool{}
	lives := map[Txn]bool{} // of any ordinal
	for _, t := range txns {
		wanted[t] = true
		t.Ordinal = 0
		lives[t] = true
	}
	begun := map[Txn]history.Time{}
	for _, h := range record.Histories {
		life := Txn{Pipeline: h.Pipeline, Worker: uint16(h.Number), Incarnation: uint32(h.Incarnation)}
		if h.Role != "worker" || !lives[life] {
			continue
		}
		_, err := history.Scan(filepath.Join(dir, h.File), func(e history.Entry) error {
			if b, ok := e.(*history.TxnBegin); ok {
				if life.Ordinal = b.Txn; wanted[life] {
					begun[life] = b.At
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("timeline: %w", err)
		}
	}
	return begun, nil
}
