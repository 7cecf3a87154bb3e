package jepsen_test

import (
	"bufio"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// operation is a line of a history. Sends and reads are by key, in the order of the operation's micro-operations.
type operation struct {
	index, process, time int64
	kind, f              keyword
	by                   string
	keys                 []int64
	sends, reads         map[int64][]message
	rebalanced           map[int64]bool
	count, unnamed       map[int64]int64
	value                any
}

// message is a value at an offset, -1 where that is not known.
type message struct {
	offset int64
	value  string
}

// readHistory reads a history, and holds it to the forms that Jepsen documents.
func readHistory(t testing.TB, path string) (ops []*operation) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		form, err := readEDN(lines.Text())
		require.NoError(t, err)
		ops = append(ops, asOperation(t, form.(map[any]any)))
	}
	require.NoError(t, lines.Err())
	return ops
}

func asOperation(t testing.TB, m map[any]any) *operation {
	o := &operation{
		index: m[keyword("index")].(int64), process: m[keyword("process")].(int64), time: m[keyword("time")].(int64),
		kind: m[keyword("type")].(keyword), f: m[keyword("f")].(keyword), by: m[keyword("by")].(string),
		sends: map[int64][]message{}, reads: map[int64][]message{}, rebalanced: map[int64]bool{},
		count: numbers(m[keyword("count")]), unnamed: numbers(m[keyword("unnamed")]), value: m[keyword("value")],
	}
	require.Contains(t, []keyword{"invoke", "ok", "fail", "info"}, o.kind)
	switch o.f {
	case "send", "poll", "txn":
		for _, mop := range o.value.([]any) {
			o.micro(t, mop.([]any))
		}
	case "assign", "subscribe":
		o.keys = integers(o.value)
	case "crash":
		require.Nil(t, o.value)
	case "debug-topic-partitions":
	default:
		require.Fail(t, "unknown operation", "%v", o.f)
	}
	if log, there := m[keyword("rebalance-log")]; there {
		for _, e := range log.([]any) {
			for _, k := range integers(e.(map[any]any)[keyword("keys")]) {
				o.rebalanced[k] = true
			}
		}
	}
	return o
}

// micro takes a micro-operation: [:send k v], [:send k [offset v]], [:poll] or [:poll {k [[offset v] …]}].
func (o *operation) micro(t testing.TB, mop []any) {
	switch mop[0] {
	case keyword("send"):
		k := mop[1].(int64)
		v, plain := mop[2].(string)
		// What took place has an offset, or nil; what was not sent yet has none.
		if len(mop) != 3 || o.f == "poll" || plain && o.kind == "ok" || !plain && o.kind == "invoke" {
			require.Fail(t, "not a send", "%v in %v %v", mop, o.kind, o.f)
		}
		if plain {
			o.sends[k] = append(o.sends[k], message{-1, v})
			return
		}
		o.sends[k] = append(o.sends[k], asMessage(mop[2]))
	case keyword("poll"):
		require.NotEqual(t, keyword("send"), o.f)
		if o.kind == "invoke" {
			require.Len(t, mop, 1)
			return
		}
		require.Len(t, mop, 2)
		for k, list := range mop[1].(map[any]any) {
			o.reads[k.(int64)] = append([]message{}, o.reads[k.(int64)]...) // there also where it is empty
			for _, x := range list.([]any) {
				o.reads[k.(int64)] = append(o.reads[k.(int64)], asMessage(x))
			}
		}
	default:
		require.Fail(t, "unknown micro-operation", "%v", mop)
	}
}

func asMessage(x any) message {
	pair := x.([]any)
	if pair[0] == nil {
		return message{-1, pair[1].(string)}
	}
	return message{pair[0].(int64), pair[1].(string)}
}

func integers(x any) (list []int64) {
	for _, k := range x.([]any) {
		list = append(list, k.(int64))
	}
	return list
}

func numbers(x any) map[int64]int64 {
	m := map[int64]int64{}
	if x != nil {
		for k, n := range x.(map[any]any) {
			m[k.(int64)] = n.(int64)
		}
	}
	return m
}

// holdsTogether checks what Jepsen demands of a history: dense indices, times that never go back, one operation of a
// process at a time, whose completion is of the same kind, nothing of a process after one of unknown outcome, and a
// writer for every value that somebody was given.
func holdsTogether(t testing.TB, ops []*operation) {
	t.Helper()
	open, gone := map[int64]*operation{}, map[int64]bool{}
	written := map[int64]map[string]bool{}
	last := int64(0)
	for i, o := range ops {
		require.Equal(t, int64(i), o.index)
		require.GreaterOrEqual(t, o.time, last, "line %d", i)
		last = o.time
		require.False(t, gone[o.process], "process %d goes on at %d", o.process, i)
		if o.kind == "invoke" {
			require.Nil(t, open[o.process], "process %d does two things at once at %d", o.process, i)
			open[o.process] = o
			continue
		}
		before := open[o.process]
		require.NotNil(t, before, "line %d completes nothing", i)
		require.Equal(t, before.f, o.f)
		require.Equal(t, before.by, o.by)
		require.Equal(t, len(before.sends), len(o.sends), "line %d", i)
		for k, sends := range o.sends {
			require.True(t, slices.Equal(values(before.sends[k]), values(sends)), "line %d", i)
			if written[k] == nil {
				written[k] = map[string]bool{}
			}
			for _, m := range sends {
				written[k][m.value] = true
			}
		}
		open[o.process] = nil
		gone[o.process] = o.kind == "info"
	}
	for process, o := range open {
		require.Nil(t, o, "process %d never completes", process)
	}
	for _, o := range ops {
		for k, list := range o.reads {
			for _, m := range list {
				if !written[k][m.value] {
					require.Fail(t, "a value without a writer", "line %d: %s in key %d", o.index, m.value, k)
				}
			}
		}
	}
}

func values(list []message) (all []string) {
	for _, m := range list {
		all = append(all, m.value)
	}
	return all
}
