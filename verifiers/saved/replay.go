package saved

import (
	"path/filepath"

	"github.com/chaeos/chaeos/harness/history"
)

// EachEntry reads one of the run's histories again. Entries are used again.
func (r *Run) EachEntry(file string, show func(history.Entry)) error {
	_, err := history.Scan(filepath.Join(r.Dir, file), func(e history.Entry) error {
		show(e)
		return nil
	})
	return err
}

// EachPoll reads the observer's histories again for what the live reader was delivered: partition by partition in the order of the
// polls.
func (r *Run) EachPoll(show func(*history.DeliveredLive)) error {
	for _, file := range r.polls {
		err := r.EachEntry(file, func(e history.Entry) {
			if s, is := e.(*history.DeliveredLive); is {
				show(s)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
