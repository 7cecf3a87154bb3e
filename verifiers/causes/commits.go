package causes

import (
	"cmp"
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// maxQuestions bounds how many commits one search looks for: each entry is compared with all that ask for its partition.
const maxQuestions = 1000

// commitSearch finds single commits in the histories of a row's workers, in one pass over them: no commit is kept for it.
type commitSearch struct {
	asked int
	byKey map[int32][]*commitQuestion
}

// commitQuestion keeps the best answer so far.
type commitQuestion struct {
	matches func(c harness.CommitRef) bool
	better  func(c, than harness.CommitRef) bool
	best    harness.CommitRef
	by      *saved.Worker
	answer  func(harness.CommitRef)
}

func (s *commitSearch) ask(partition int32, q *commitQuestion) {
	if s.asked >= maxQuestions {
		return
	}
	s.asked++
	if s.byKey == nil {
		s.byKey = map[int32][]*commitQuestion{}
	}
	s.byKey[partition] = append(s.byKey[partition], q)
}

// backTo asks which confirmed commit a reread went back to: the newest before the partition was assigned, or one of just
// that offset before the first poll, because a committed offset is fetched only once no transaction holds it.
func (s *commitSearch) backTo(x *harness.Reread, answer func(harness.CommitRef)) {
	assigned := cmp.Or(x.Assigned, x.Began)
	s.ask(x.Partition, &commitQuestion{
		matches: func(c harness.CommitRef) bool { return c.At < assigned || c.At < x.Began && c.Offset == x.From },
		better:  func(c, than harness.CommitRef) bool { return c.At > than.At },
		answer:  answer,
	})
}

// run reads the histories and gives the answers there are.
func (s *commitSearch) run(row *rows.Row) error {
	if s.asked == 0 {
		return nil
	}
	err := replayCommits(row, func(w *saved.Worker, c saved.Commit) {
		if c.Outcome != history.OutcomeConfirmed {
			return
		}
		for _, o := range c.Offsets {
			s.offer(w, harness.CommitRef{Partition: o.Partition, Offset: o.Offset, At: c.At, Outcome: c.Outcome.String(), Txn: c.Txn})
		}
	})
	for _, questions := range s.byKey {
		for _, q := range questions {
			if q.by != nil {
				q.best.By = new(saved.IncarnationRef(q.by))
				q.answer(q.best)
			}
		}
	}
	return err
}

func (s *commitSearch) offer(w *saved.Worker, c harness.CommitRef) {
	for _, q := range s.byKey[c.Partition] {
		if q.matches(c) && (q.by == nil || q.better(c, q.best)) {
			q.best, q.by = c, w
		}
	}
}

// replayCommits reads the histories of the row's workers again, by worker and incarnation, and shows every commit whose
// outcome is known, or known to be unknown: one of a transaction when the transaction's end was confirmed.
func replayCommits(row *rows.Row, take func(*saved.Worker, saved.Commit)) error {
	for _, w := range row.Workers {
		again := saved.NewWorker(w.Incarnation, w.Name, nil)
		again.Effects = w.Effects
		again.Committed = func(c saved.Commit) { take(w, c) }
		if _, err := history.Scan(filepath.Join(row.Run.Dir, w.File), func(entry history.Entry) error {
			again.Add(entry)
			return nil
		}); err != nil {
			return err
		}
		again.Close()
	}
	return nil
}
