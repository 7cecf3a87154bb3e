package effects

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/chaeos/chaeos/harness/files"
)

// Reader reads a store that another process may be writing.
type Reader struct{ db *sql.DB }

// Open opens the store at path for reading. It returns os.ErrNotExist if nothing was ever stored.
func Open(path string) (*Reader, error) {
	f, _, err := files.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("effects: %w", err)
	}
	_ = f.Close() // only looked at
	db, err := open(path, url.Values{"_pragma": {"query_only(1)", "busy_timeout(5000)"}})
	if err != nil {
		return nil, err
	}
	// Before the table is made nothing is stored either.
	var tables int
	err = db.QueryRow(`SELECT COUNT(*) FROM sqlite_master WHERE name = 'effects'`).Scan(&tables)
	if err == nil && tables == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("effects: %w", err), db.Close())
	}
	return &Reader{db: db}, nil
}

// From returns the side effects of a pipeline in a partition from an offset on, at most most of them.
func (r *Reader) From(ctx context.Context, pipeline string, partition int32, offset int64, most int) ([]Effect, error) {
	rows, err := r.db.QueryContext(ctx, `SELECT offset, value, accepted FROM effects
		WHERE pipeline = ? AND partition = ? AND offset >= ? ORDER BY offset LIMIT ?`, pipeline, partition, offset, most)
	if err != nil {
		return nil, fmt.Errorf("effects: %w", err)
	}
	defer rows.Close()
	var all []Effect
	for rows.Next() {
		var e Effect
		if err := rows.Scan(&e.Offset, &e.Value, &e.Accepted); err != nil {
			return nil, fmt.Errorf("effects: %w", err)
		}
		all = append(all, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("effects: %w", err)
	}
	return all, nil
}

// End is the number of side effects of a pipeline in a partition.
func (r *Reader) End(ctx context.Context, pipeline string, partition int32) (n int64, err error) {
	err = r.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM effects WHERE pipeline = ? AND partition = ?`, pipeline, partition).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("effects: %w", err)
	}
	return n, nil
}

// Unconfirmed is how many calls of a pipeline the service took and did not confirm, because a fault made it.
func (r *Reader) Unconfirmed(ctx context.Context, pipeline string) (n int64, err error) {
	return r.sum(ctx, `SELECT COALESCE(SUM(n), 0) FROM unconfirmed WHERE pipeline = ?`, pipeline)
}

// Forgotten is how many keys of a pipeline the service has forgotten, because a fault made it.
func (r *Reader) Forgotten(ctx context.Context, pipeline string) (n int64, err error) {
	return r.sum(ctx, `SELECT COALESCE(SUM(n), 0) FROM forgotten WHERE pipeline = ?`, pipeline)
}

func (r *Reader) sum(ctx context.Context, query, pipeline string) (n int64, err error) {
	if err := r.db.QueryRowContext(ctx, query, pipeline).Scan(&n); err != nil {
		return 0, fmt.Errorf("effects: %w", err)
	}
	return n, nil
}

// Close closes the reader.
func (r *Reader) Close() error { return r.db.Close() }
