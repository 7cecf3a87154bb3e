package main

import (
	"maps"
	"slices"
	"time"

	"github.com/chaeos/chaeos/results/page"
	"github.com/chaeos/chaeos/verifiers/timeline"
)

// series gathers one pipeline's buckets over its partitions.
type series struct {
	buckets map[float64]*bucket
	lag     map[int32]map[float64]float64
}

// bucket is a moment of a pipeline: sums over its partitions, and the latencies of the worst of them.
type bucket struct {
	acked, visible uint64
	took           bool
	p50, p99, most time.Duration
}

// pageSeries reads every pipeline's buckets.
func pageSeries(dir string, a axis) (map[string]*series, error) {
	all := map[string]*series{}
	err := timeline.Build(dir, func(b timeline.Bucket) error {
		s := all[b.Pipeline]
		if s == nil {
			s = newSeries()
			all[b.Pipeline] = s
		}
		s.add(a.at(b.Start), b)
		return nil
	})
	return all, err
}

func newSeries() *series {
	return &series{buckets: map[float64]*bucket{}, lag: map[int32]map[float64]float64{}}
}

func (s *series) add(at float64, b timeline.Bucket) {
	now := s.buckets[at]
	if now == nil {
		now = &bucket{}
		s.buckets[at] = now
	}
	now.acked += b.Acked
	now.visible += b.Visible
	if l := b.Latency; l != nil {
		now.took = true
		now.p50, now.p99, now.most = max(now.p50, l.P50), max(now.p99, l.P99), max(now.most, l.Max)
	}
	if b.StableLagMax != nil {
		if s.lag[b.Partition] == nil {
			s.lag[b.Partition] = map[float64]float64{}
		}
		s.lag[b.Partition][at] = float64(*b.StableLagMax)
	}
}

// half is how many buckets on each side of a moment a rate is taken over: half a second in all. Acknowledgements and
// polls come in bursts; from one bucket to the next a steady load would jump between nothing and twice its rate.
const half = 2

// rates are the records a second over the buckets at some moments.
func (s *series) rates(times []float64) (acked, visible float64) {
	for _, at := range times {
		acked += float64(s.buckets[at].acked)
		visible += float64(s.buckets[at].visible)
	}
	const seconds = (2*half + 1) * float64(timeline.Width) / float64(time.Second) // before the first bucket was nothing
	return acked / seconds, visible / seconds
}

// into fills a page's series, thinned.
func (s *series) into(p *page.Pipeline) {
	times := slices.Sorted(maps.Keys(s.buckets))
	lags := slices.Sorted(maps.Keys(s.lag))
	p.Lag = make([]page.Lag, len(lags))
	for i, at := range times {
		b := s.buckets[at]
		acked, visible := s.rates(times[max(0, i-half):min(len(times), i+half+1)])
		p.Acked, p.Visible = append(p.Acked, page.Of(acked)), append(p.Visible, page.Of(visible))
		p.P50, p.P99, p.Max = append(p.P50, latency(b, b.p50)), append(p.P99, latency(b, b.p99)), append(p.Max, latency(b, b.most))
		for i, partition := range lags {
			p.Lag[i].Partition = partition
			var v page.Value
			if lag, seen := s.lag[partition][at]; seen {
				v = page.Of(lag)
			}
			p.Lag[i].Values = append(p.Lag[i].Values, v)
		}
	}
	all := []*[]page.Value{&p.Acked, &p.Visible, &p.P50, &p.P99, &p.Max}
	for i := range p.Lag {
		all = append(all, &p.Lag[i].Values)
	}
	p.Times = page.Thin(times, page.Points, all...)
}

// latency is in milliseconds, nothing where nothing was delivered. A chart of orders of magnitude can't show 0.
func latency(b *bucket, d time.Duration) page.Value {
	if !b.took {
		return nil
	}
	return page.Of(max(float64(d)/float64(time.Millisecond), 0.1))
}
