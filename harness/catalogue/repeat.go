package catalogue

import (
	"fmt"
	"time"
)

// mostRepeats bounds the repetitions of one line: more would be a fault of its own.
const mostRepeats = 500

// repeat is how often a line's fault is injected. The zero value is once.
type repeat struct {
	every span
	// count is how often in all; until is the time after which no further one begins. One of them is given.
	count numbers
	until time.Duration
}

// repeat reads every, and count or until.
func (d *decoder) repeat(e entry) repeat {
	every, repeated := e.tokens["every"]
	count, counted := e.tokens["count"]
	until, bounded := e.tokens["until"]
	switch {
	case !repeated && counted:
		d.fail(count.key, "count needs every: how long from one to the next")
	case !repeated && bounded:
		d.fail(until.key, "until needs every: how long from one to the next")
	case repeated && counted == bounded:
		d.fail(every.key, "every needs either count or until")
	}
	if !repeated || d.err != nil {
		return repeat{}
	}
	r := repeat{every: d.span(every, shortest, longest)}
	if counted {
		r.count = d.numbers(count, 1, mostRepeats)
	} else {
		r.until = d.duration(until, 0, 24*time.Hour)
		if r.until < e.at.high {
			d.fail(first(until.value), "until (%s) is before the first (%s)", r.until, e.at.high)
		}
		if r.every.low > 0 && (r.until-e.at.low)/r.every.low >= mostRepeats {
			d.fail(first(until.value), "more than %d faults may come of this line", mostRepeats)
		}
	}
	return r
}

func (r repeat) given() bool { return r.every.high > 0 }

// last is the latest time at which the line's last fault can begin, if the first begins at the given time.
func (r repeat) last(at time.Duration) time.Duration {
	switch {
	case !r.given():
		return at
	case r.count.high > 0:
		return at + time.Duration(r.count.high-1)*r.every.high
	default:
		return r.until
	}
}

// earliest is the earliest time at which the line's last fault can begin, if the first begins at the given time.
func (r repeat) earliest(at time.Duration) time.Duration {
	if r.count.high > 0 {
		return at + time.Duration(r.count.low-1)*r.every.low
	}
	return at
}

// draw returns the times of all repetitions.
func (r repeat) draw(d drawer, path string, at time.Duration) []time.Duration {
	times := []time.Duration{at}
	if !r.given() {
		return times
	}
	count := int64(mostRepeats)
	if r.count.high > 0 {
		count = r.count.low + d.below(path+".count", r.count.high-r.count.low+1)
	}
	for n := int64(1); n < count; n++ {
		at += r.every.draw(d, fmt.Sprintf("%s[%d].every", path, n))
		if r.count.high == 0 && at > r.until {
			break
		}
		times = append(times, at)
	}
	return times
}

// atOnce is how many of the line's faults can be active at one time.
func (e entry) atOnce() int {
	if !e.repeat.given() {
		return 1
	}
	return int((e.lasts.high-1)/e.repeat.every.low) + 1
}
