package verifiers

import (
	"path/filepath"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
)

// maxQuestions bounds how many commits one replay looks for: each entry is compared with all that ask for its partition.
const maxQuestions = 1000

// commitSearch finds single commits in the histories of a row's workers, in one pass over them: no commit is kept for it.
type commitSearch struct {
	asked int
	byKey map[int32][]*commitQuestion
}

// commitQuestion keeps the best answer so far.
type commitQuestion struct {
	matches func(c *harness.CommitRef) bool
	better  func(c, than *harness.CommitRef) bool
	best    *harness.CommitRef
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

// beforeTime asks for the newest confirmed commit before a moment.
func (s *commitSearch) beforeTime(partition int32, at history.Time, answer func(harness.CommitRef)) {
	s.ask(partition, &commitQuestion{
		matches: func(c *harness.CommitRef) bool { return c.At < at },
		better:  func(c, than *harness.CommitRef) bool { return c.At > than.At },
		answer:  answer,
	})
}

// run reads the histories and gives the answers there are.
func (s *commitSearch) run(e *evidence) error {
	if s.asked == 0 {
		return nil
	}
	err := e.replayWorkers(func(w *worker, entry history.Entry) {
		c, ok := entry.(*history.Committed)
		if !ok || c.Outcome != history.OutcomeConfirmed {
			return
		}
		for _, o := range c.Offsets {
			by := lifeOf(w)
			s.offer(&harness.CommitRef{By: &by, Partition: o.Partition, Offset: o.Offset, At: c.At, Outcome: outcomeName(c.Outcome), Txn: c.Txn})
		}
	})
	for _, questions := range s.byKey {
		for _, q := range questions {
			if q.best != nil {
				q.answer(*q.best)
			}
		}
	}
	return err
}

func (s *commitSearch) offer(c *harness.CommitRef) {
	for _, q := range s.byKey[c.Partition] {
		if q.matches(c) && (q.best == nil || q.better(c, q.best)) {
			q.best = c
		}
	}
}

// replayWorkers reads the histories of the row's workers again, by worker and incarnation.
func (e *evidence) replayWorkers(take func(*worker, history.Entry)) error {
	for _, w := range e.workers {
		_, err := history.ReadFile(filepath.Join(e.run.dir, w.file), func(entry history.Entry) error {
			take(w, entry)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
