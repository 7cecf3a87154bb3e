package jepsen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// example is a history in the forms that Jepsen documents, one operation a line: index and process are added, an
// invocation before each.
type example struct {
	name string
	ops  []string
	want tally
}

// The reader itself is held to the definitions in Jepsen's documentation, also for what no saved run can show: its workers
// read no topic that they write to.
var examples = []example{
	{name: "clean", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]] [:send 0 [1 "b"]]]`, `2 ok :poll [[:poll {0 [[0 "a"]]}]]`, `2 ok :poll [[:poll {0 [[1 "b"]]}]]`,
	}, want: tally{}},
	{name: "a transaction that reads what it writes", ops: []string{
		`1 ok :txn [[:send 0 [0 "a"]] [:poll {0 [[0 "a"]]}]]`,
	}, want: tally{"precommitted-read": {0, 1, 0}}},
	{name: "two transactions that read each other's writes", ops: []string{
		`1 ok :txn [[:send 0 [0 "a"]] [:poll {1 [[0 "b"]]}]]`, `2 ok :txn [[:send 1 [0 "b"]] [:poll {0 [[0 "a"]]}]]`,
	}, want: tally{"G1c": {1}}},
	{name: "a write that follows what was read of its reader", ops: []string{
		`1 ok :txn [[:send 0 [0 "a"]] [:send 1 [2 "c"]]]`, `2 ok :txn [[:poll {0 [[0 "a"]]}] [:send 1 [1 "b"]]]`,
		`3 ok :poll [[:poll {1 [[1 "b"] [2 "c"]]}]]`,
	}, want: tally{"G1c": {1}}},
	{name: "writes in two orders", ops: []string{
		`1 ok :txn [[:send 0 [0 "a"]] [:send 1 [1 "c"]]]`, `2 ok :txn [[:send 0 [1 "b"]] [:send 1 [0 "d"]]]`,
		`3 ok :poll [[:poll {0 [[0 "a"] [1 "b"]] 1 [[0 "d"] [1 "c"]]}]]`,
	}, want: tally{"G0": {1}}},
	{name: "a failed write that is read, twice", ops: []string{
		`1 fail :send [[:send 0 "a"] [:send 0 "b"]]`, `2 ok :poll [[:poll {0 [[0 "a"]]}]]`, `3 ok :poll [[:poll {0 [[0 "a"]]}]]`,
	}, want: tally{"G1a": {0, 1, 0}}},
	{name: "one offset with two values", ops: []string{
		`1 ok :send [[:send 0 [5 "a"]]]`, `2 ok :send [[:send 0 [5 "b"]]]`, `3 ok :poll [[:poll {0 [[5 "b"]]}]]`,
	}, want: tally{"inconsistent-offsets": {0, 1, 0}, "lost-write": {0, 1, 0}, "unseen": {0, 1, 0}}},
	{name: "a lost write below one that was read, and one above", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]] [:send 0 [1 "b"]] [:send 0 [2 "c"]]]`, `2 ok :poll [[:poll {0 [[1 "b"]]}]]`,
	}, want: tally{"lost-write": {0, 1, 0}, "unseen": {0, 2, 0}}},
	{name: "a write of unknown outcome is lost only where another of its operation was read", ops: []string{
		`1 info :txn [[:send 0 "a"] [:send 1 [0 "b"]]]`, `2 ok :send [[:send 1 [1 "c"]]]`,
		`3 ok :poll [[:poll {0 [[0 "a"]] 1 [[1 "c"]]}]]`,
		`4 info :txn [[:send 0 "d"] [:send 1 [2 "e"]]]`, `5 ok :send [[:send 1 [3 "f"]]]`, `6 ok :poll [[:poll {1 [[3 "f"]]}]]`,
	}, want: tally{"lost-write": {0, 1, 0}, "torn": {1}}},
	{name: "polls that skip, but not behind another subscription", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]] [:send 0 [1 "b"]] [:send 0 [2 "c"]] [:send 0 [4 "d"]]]`,
		`2 ok :poll [[:poll {0 [[0 "a"]]}]]`, `2 ok :poll [[:poll {0 [[2 "c"]]}]]`, // skips b
		`3 ok :poll [[:poll {0 [[0 "a"]]}]]`, `3 ok :subscribe [1]`, `3 ok :poll [[:poll {0 [[4 "d"]]}]]`,
		`4 ok :poll [[:poll {0 [[0 "a"]]}]]`, `4 ok :subscribe [0 1]`, `4 ok :poll [[:poll {0 [[1 "b"] [2 "c"] [4 "d"]]}]]`,
	}, want: tally{"poll-skip": {0, 1, 0}}},
	{name: "a failed transaction's polls are done again", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]] [:send 0 [1 "b"]]]`, `2 ok :txn [[:poll {0 [[0 "a"]]}]]`,
		`2 fail :txn [[:poll {0 [[1 "b"]]}]]`, `2 ok :txn [[:poll {0 [[1 "b"]]}]]`, `2 ok :txn [[:poll {0 [[1 "b"]]}]]`,
	}, want: tally{"nonmonotonic-poll": {0, 1, 0}}},
	{name: "polls within an operation, and one whose partition came meanwhile", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]] [:send 0 [1 "b"]] [:send 0 [2 "c"]]]`,
		`2 ok :txn [[:poll {0 [[0 "a"]]}] [:poll {0 [[2 "c"]]}] [:poll {0 [[1 "b"]]}]]`,
		`3 ok :txn [[:poll {0 [[2 "c"]]}] [:poll {0 [[1 "b"]]}]], :rebalance-log [{:keys [0]}]`,
	}, want: tally{"int-poll-skip": {0, 1, 0}, "int-nonmonotonic-poll": {0, 1, 0}}},
	{name: "sends within an operation, and from one to the next", ops: []string{
		`1 ok :send [[:send 0 [3 "c"]] [:send 0 [1 "a"]]]`, `1 ok :send [[:send 0 [0 "z"]]]`, `2 ok :send [[:send 0 [2 "b"]]]`,
		`3 ok :poll [[:poll {0 [[0 "z"] [1 "a"] [2 "b"] [3 "c"]]}]]`,
	}, want: tally{"int-nonmonotonic-send": {0, 1, 0}, "nonmonotonic-send": {0, 1, 0}, "G0": {1}}},
	{name: "a value at three offsets", ops: []string{
		`1 ok :send [[:send 0 [0 "a"]]]`, `2 ok :poll [[:poll {0 [[0 "a"]]}]]`, `3 ok :poll [[:poll {0 [[1 "a"]]}]]`, `4 ok :poll [[:poll {0 [[2 "a"]]}]]`,
	}, want: tally{"duplicate": {0, 1, 0}}},
}

func TestExamples(t *testing.T) {
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			var ops []*operation
			for i, line := range x.ops {
				words := strings.SplitN(line, " ", 4)
				form, err := readEDN(fmt.Sprintf(`{:index %d, :type :%s, :process %s, :time %d, :by "example", :f %s, :value %s}`,
					i, words[1], words[0], i, words[2], words[3]))
				require.NoError(t, err)
				ops = append(ops, asOperation(t, form.(map[any]any)))
			}
			require.Equal(t, x.want, byFamily(analyse(ops).anomalies(), families{outputs: []int64{0, 1}}))
		})
	}
}

// TestEDNIsStrict: what is no EDN is refused, or a broken history would be counted as a clean one.
func TestEDNIsStrict(t *testing.T) {
	for _, text := range []string{``, `{`, `[1 2`, `{:a}`, `{:a 1 :a 2}`, `[1] 2`, `"a`, `1x`, `:`, `{:value [[:send 1 "a\"]]}`} {
		_, err := readEDN(text)
		require.Error(t, err, text)
	}
	form, err := readEDN(`{:a [nil true -3, "x"] :b? {1 [:c]}}`)
	require.NoError(t, err)
	require.Equal(t, map[any]any{keyword("a"): []any{nil, true, int64(-3), "x"}, keyword("b?"): map[any]any{int64(1): []any{keyword("c")}}}, form)
}
