package kit

import (
	"cmp"
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
)

// Set is every check at work on one row.
type Set struct{ all []*atWork }

// atWork is one check and its counting, nil where it does not apply to the row.
type atWork struct {
	check    Check
	counting Counting
}

// Outcome is what came of one check in one row. The zero value did not run.
type Outcome struct {
	Check string
	// Ran means that the check ran to its end, or does not apply to the row.
	Ran     bool
	Numbers harness.Numbers
	Found   []Finding
}

// Begin starts checks for one row. They report by name.
func Begin(s *rows.Subject, all []Check) *Set {
	set := &Set{}
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Check) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range sorted {
		set.all = append(set.all, &atWork{c, c.Begin(s)})
	}
	return set
}

// Output makes the checks' readers of an output partition.
func (s *Set) Output(p *logs.Partition) []logs.Reader {
	return readers(s, func(r OutputReader) logs.Reader { return r.Output(p) })
}

// Input makes the checks' readers of an input partition.
func (s *Set) Input(p *logs.Partition) []logs.Reader {
	return readers(s, func(r InputReader) logs.Reader { return r.Input(p) })
}

func readers[T any](s *Set, one func(T) logs.Reader) (all []logs.Reader) {
	for _, r := range those[T](s) {
		all = append(all, one(r))
	}
	return all
}

// those are the countings that are a T.
func those[T any](s *Set) (all []T) {
	for _, w := range s.all {
		if r, is := w.counting.(T); is {
			all = append(all, r)
		}
	}
	return all
}

// Transaction shows the checks a transaction.
func (s *Set) Transaction(r *rows.Row, x *causes.Suspect) {
	for _, t := range those[TransactionReader](s) {
		t.Transaction(r, x)
	}
}

// Polls is what shows the checks that want them the live reader's polls, those of other rows too; nil if none does.
func (s *Set) Polls(r *rows.Row) func(*history.DeliveredLive) {
	readers := those[PollReader](s)
	if len(readers) == 0 {
		return nil
	}
	live, poll := make(liveReadings, len(r.Out.Parts)), &Poll{}
	return func(p *history.DeliveredLive) {
		if !live.poll(r, p, poll) {
			return
		}
		for _, reader := range readers {
			reader.Poll(r, poll)
		}
	}
}

// Histories shows the checks that want them the workers' histories. They are not read if none does.
func (s *Set) Histories(r *rows.Row) error {
	entries := those[HistoryReader](s)
	if len(entries) == 0 {
		return nil
	}
	for _, w := range r.Workers {
		err := r.Run.EachEntry(w.File, func(e history.Entry) {
			for _, reader := range entries {
				reader.Entry(r, w, e)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Finish ends every check, by name.
func (s *Set) Finish(f *Facts) (all []Outcome) {
	for _, w := range s.all {
		o := Outcome{Check: w.check.Name, Ran: true}
		if w.counting != nil {
			o.Found = w.counting.Finish(f, &o.Numbers)
			o.Found = append(o.Found, w.check.undeclared(o.Numbers)...)
			o.Ran = !slices.ContainsFunc(o.Found, func(x Finding) bool { return x.NotRun })
		}
		all = append(all, o)
	}
	return all
}

// undeclared finds numbers that a check set and did not declare: they are another's.
func (c Check) undeclared(n harness.Numbers) (found []Finding) {
	for _, key := range n.Keys() {
		if !slices.ContainsFunc(c.Numbers, func(d harness.Number) bool { return d.Key == key }) {
			found = append(found, Internal("the check %s set %s, which it does not declare", c.Name, key)...)
		}
	}
	return found
}
