package workloads

import (
	"log/slog"
	"maps"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// pending are polled records that were not handed to the producer, by partition and offset. It is not safe for several
// goroutines.
type pending map[int32]map[int64]struct{}

func (p *pending) add(inputs []input) {
	if *p == nil {
		*p = pending{}
	}
	for _, in := range inputs {
		if (*p)[in.partition] == nil {
			(*p)[in.partition] = map[int64]struct{}{}
		}
		(*p)[in.partition][in.offset] = struct{}{}
	}
}

func (p *pending) remove(in input) { delete((*p)[in.partition], in.offset) }

// below counts the records that the confirmed commits passed.
func (p *pending) below(committed []answer) int {
	n := 0
	for _, a := range committed {
		if a.err != nil {
			continue
		}
		for offset := range (*p)[a.Partition] {
			if offset < a.Offset {
				n++
			}
		}
	}
	return n
}

// positions are next offsets to read, by partition.
type positions struct {
	mu sync.Mutex
	at map[int32]kgo.EpochOffset
}

func (p *positions) set(at map[int32]kgo.EpochOffset) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
}

func (p *positions) get() map[int32]kgo.EpochOffset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// position is where the client's polls are now.
func (c *client) position() map[int32]kgo.EpochOffset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.positions)
}

// logged is for callbacks that can't return an error. The history writer keeps its own, so the loop ends with it.
func logged(err error) {
	if err != nil {
		slog.Warn("callback", "err", err)
	}
}
