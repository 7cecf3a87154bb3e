// Package effects is what the external service has durably accepted: one SQLite file in the run's folder. Only the service
// writes it. The observer reads it while the service runs, the read-back once everything has ended.
package effects

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver, in pure Go
)

// File is the store's name in a run's folder.
const File = "effects.db"

// Path is the store of the run in dir.
func Path(dir string) string { return filepath.Join(dir, File) }

// Effect is one side effect of the service: a request's body, in the order in which the bodies were accepted.
type Effect struct {
	// Offset counts the side effects of one pipeline in one partition, from 0.
	Offset int64
	Value  []byte
	// Accepted is when it was stored, in milliseconds of the service's wall clock.
	Accepted int64
}

const schema = `
CREATE TABLE IF NOT EXISTS effects (
	pipeline  TEXT    NOT NULL,
	partition INTEGER NOT NULL,
	offset    INTEGER NOT NULL,
	key       TEXT,
	value     BLOB    NOT NULL,
	accepted  INTEGER NOT NULL,
	PRIMARY KEY (pipeline, partition, offset)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS effects_key ON effects (pipeline, key) WHERE key IS NOT NULL;
CREATE TABLE IF NOT EXISTS unconfirmed (pipeline TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS forgotten (pipeline TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;`

const insertEffect = `
INSERT INTO effects (pipeline, partition, offset, key, value, accepted)
SELECT ?1, ?2, COALESCE(MAX(offset) + 1, 0), NULLIF(?3, ''), ?4, ?5 FROM effects WHERE pipeline = ?1 AND partition = ?2
ON CONFLICT (pipeline, key) WHERE key IS NOT NULL DO NOTHING`

// Store accepts side effects. It is safe for several goroutines: those that arrive while another one is being written reach
// the disk together, as in services with many callers.
type Store struct {
	db     *sql.DB
	insert *sql.Stmt
	asks   chan *ask
	done   chan struct{}
	// closing is held for reading while a side effect is accepted.
	closing sync.RWMutex
	closed  bool
}

// ask is one side effect to be stored.
type ask struct {
	pipeline  string
	partition int32
	key       string
	value     []byte
	stored    bool
	err       error
	answered  chan struct{}
}

// mostTogether bounds how many side effects one transaction of the database stores.
const mostTogether = 256

// Create opens the store at path for writing, and makes it if it is not there yet.
func Create(path string) (*Store, error) {
	// FULL: a commit has reached the disk before it is answered, also in WAL mode.
	db, err := open(path, url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)"}})
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(schema); err != nil {
		return nil, errors.Join(fmt.Errorf("effects: %w", err), db.Close())
	}
	insert, err := db.Prepare(insertEffect)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("effects: %w", err), db.Close())
	}
	s := &Store{db: db, insert: insert, asks: make(chan *ask, mostTogether), done: make(chan struct{})}
	go s.write()
	return s, nil
}

func open(path string, options url.Values) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, fmt.Errorf("effects: %w", err)
	}
	return db, nil
}

var errClosed = errors.New("effects: the store is closed")

// Accept stores a side effect, durably once it returns. If the pipeline has used the key before, nothing is stored, and
// stored is false.
func (s *Store) Accept(pipeline string, partition int32, key string, value []byte) (stored bool, err error) {
	s.closing.RLock()
	defer s.closing.RUnlock()
	if s.closed {
		return false, errClosed
	}
	a := &ask{pipeline: pipeline, partition: partition, key: key, value: value, answered: make(chan struct{})}
	s.asks <- a
	<-a.answered
	return a.stored, a.err
}

// write stores what is asked for until the store is closed: each time everything that waits.
func (s *Store) write() {
	defer close(s.done)
	for first := range s.asks {
		together := []*ask{first}
		for len(s.asks) > 0 && len(together) < mostTogether {
			together = append(together, <-s.asks)
		}
		err := s.store(together)
		for _, a := range together {
			if err != nil {
				a.stored, a.err = false, fmt.Errorf("effects: %w", err)
			}
			close(a.answered)
		}
	}
}

// store stores side effects in one transaction: all of them, or none and an error.
func (s *Store) store(together []*ask) error {
	if len(together) == 1 {
		return together[0].store(s.insert)
	}
	txn, err := s.db.Begin()
	if err != nil {
		return err
	}
	insert := txn.Stmt(s.insert)
	for _, a := range together {
		if err := a.store(insert); err != nil {
			return errors.Join(err, txn.Rollback())
		}
	}
	return txn.Commit()
}

func (a *ask) store(insert *sql.Stmt) error {
	result, err := insert.Exec(a.pipeline, a.partition, a.key, a.value, time.Now().UnixMilli())
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	a.stored = n > 0
	return err
}

// Unconfirmed counts a call of a pipeline that the service will not confirm.
func (s *Store) Unconfirmed(pipeline string) error {
	_, err := s.db.Exec(`INSERT INTO unconfirmed VALUES (?, 1) ON CONFLICT (pipeline) DO UPDATE SET n = n + 1`, pipeline)
	if err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	return nil
}

// Forget forgets every key: a call that repeats one is served as if it were the first. The side effects stay.
func (s *Store) Forget() error {
	txn, err := s.db.Begin()
	if err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	_, err = txn.Exec(`INSERT INTO forgotten SELECT pipeline, COUNT(*) FROM effects WHERE key IS NOT NULL GROUP BY pipeline
		ON CONFLICT (pipeline) DO UPDATE SET n = n + excluded.n`)
	if err == nil {
		_, err = txn.Exec(`UPDATE effects SET key = NULL WHERE key IS NOT NULL`)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("effects: %w", err), txn.Rollback())
	}
	if err := txn.Commit(); err != nil {
		return fmt.Errorf("effects: %w", err)
	}
	return nil
}

// Close closes the store once what is being accepted is stored.
func (s *Store) Close() error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if !s.closed {
		s.closed = true
		close(s.asks)
		<-s.done
	}
	return errors.Join(s.insert.Close(), s.db.Close())
}
