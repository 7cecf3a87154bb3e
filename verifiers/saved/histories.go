package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/harness/together"
	"github.com/chaeos/chaeos/verifiers/txns"
)

// What a history's writer is.
const (
	RoleSource = "source"
	RoleWorker = "worker"
	// roleService is the external service's, which says nothing that counts: its side effects do.
	roleService = "service"
)

// loading is one history that is being summed up.
type loading struct {
	run     *Run
	record  harness.HistoryRecord
	in      *history.Reader
	entries int
	// source or worker is whose it is, if it isn't the observer's.
	source *Source
	worker *Worker
	doubts []string
	// away means that an entry's time was far from the load already.
	away bool
	// polls reports whether it is an observer's with polls.
	polls bool
}

func (l *loading) doubt(format string, args ...any) {
	l.doubts = append(l.doubts, "history "+l.record.File+" "+fmt.Sprintf(format, args...))
}

// loadHistories sums up all histories: those of the workers each by itself, those of sources and observer side by side.
func (r *Run) loadHistories(files []harness.HistoryRecord) error {
	var all, workers []*loading
	defer func() {
		for _, l := range all {
			_ = l.in.Close() // only read
		}
	}()
	for _, h := range files {
		l, err := r.open(h)
		if err != nil {
			return err
		}
		if l == nil {
			continue
		}
		all = append(all, l)
		if l.worker != nil {
			workers = append(workers, l)
		}
	}
	inTime := newTimed(r, all)
	err := together.AtMost(runtime.GOMAXPROCS(0), 1+len(workers), func(i int) error {
		if i == 0 {
			inTime.read()
			return nil
		}
		l := workers[i-1]
		for e := l.read(); e != nil; e = l.read() {
			l.worker.Add(e)
		}
		l.worker.Close()
		return nil
	})
	for _, l := range all {
		l.checkTail()
		for _, text := range l.doubts {
			r.Doubt(l.record.Pipeline, "%s", text)
		}
	}
	return err
}

// open opens one history, and returns nil without an error if it is missing.
func (r *Run) open(h harness.HistoryRecord) (*loading, error) {
	in, err := history.Open(filepath.Join(r.Dir, h.File))
	if errors.Is(err, fs.ErrNotExist) {
		r.Doubt(h.Pipeline, "history %s is missing", h.File)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &loading{run: r, record: h, in: in}
	switch h.Role {
	case RoleSource:
		number := uint16(h.Number)
		l.source = r.Sources[number]
		if l.source == nil {
			l.source = NewSource(max(1, r.Record.Plan.Partitions))
			r.Sources[number] = l.source
		}
		l.source.Files = append(l.source.Files, h.File)
	case RoleWorker:
		w := NewWorker(txns.Of(uint16(h.Number), uint32(min(max(0, h.Incarnation), math.MaxUint32))), h.Process, r.finalsOf(h.Pipeline))
		w.File, w.Killed, w.Effects = h.File, h.Killed, r.effects(h.Pipeline)
		if r.workers[h.Pipeline] == nil {
			r.workers[h.Pipeline] = map[txns.Incarnation]*Worker{}
		}
		r.workers[h.Pipeline][w.Incarnation] = w
		l.worker = w
	case roleService:
	default:
		r.Live.Recorded = true
	}
	return l, nil
}

// effects reports whether a pipeline's outputs are side effects at the external service.
func (r *Run) effects(pipeline string) bool {
	l, err := r.Record.Plan.Pipeline(pipeline)
	return err == nil && l.Effects
}

// read returns the next entry, nil after the last.
func (l *loading) read() history.Entry {
	e := l.in.Next()
	if e == nil {
		return nil
	}
	if l.entries++; l.entries == 1 {
		l.checkProcess(e)
	}
	if at := history.When(e); !l.away && at != 0 && l.run.Record.Away(at) {
		l.away = true
		l.doubt("holds an entry of %s from the start of the load: no run is that long", at.Sub(l.run.Record.Zero()))
	}
	return e
}

// take takes an entry of a source's or the observer's history.
func (l *loading) take(e history.Entry) {
	if l.source != nil {
		l.source.add(e, uint32(l.record.Incarnation))
		return
	}
	if _, is := e.(*history.DeliveredLive); is && !l.polls {
		l.polls, l.run.polls = true, append(l.run.polls, l.record.File)
	}
	l.run.Live.add(e, l.run.Record.LoadStart)
}

func (l *loading) checkProcess(e history.Entry) {
	h := l.record
	p, ok := e.(*history.Process)
	switch {
	case !ok:
		l.doubt("doesn't say whose it is")
	case p.Run != l.run.Record.RunID:
		l.doubt("is another run's")
	case int(p.Number) != h.Number || int(p.Incarnation) != h.Incarnation || p.Role != h.Role:
		l.doubt("is %s's, number %d, incarnation %d", p.Name, p.Number, p.Incarnation)
	}
}

// checkTail doubts what a cut or damaged history leaves out.
func (l *loading) checkTail() {
	h, size, tail := l.record, l.in.Size(), l.in.Tail()
	whole := size == h.Bytes && tail.LostBytes == 0 && (tail.Ended || h.Killed)
	switch {
	case l.worker != nil:
		l.worker.Whole = whole
	case l.source != nil && !whole:
		l.source.Txns.cut(uint32(h.Incarnation))
	}
	switch {
	case size < h.Bytes:
		l.doubt("has lost %d of %d bytes", h.Bytes-size, h.Bytes)
	case size > h.Bytes:
		l.doubt("has %d bytes more than its writer left", size-h.Bytes)
	case tail.LostBytes > 0 && !(h.Killed && tail.CutShort):
		l.doubt("can't be read to its end, %d bytes are left: %s", tail.LostBytes, tail.Reason)
	case !tail.Ended && !h.Killed:
		l.doubt("was not closed, and its writer was not killed")
	}
}
