package verifiers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/history"
	"github.com/chaeos/chaeos/verifiers/causes"
	"github.com/chaeos/chaeos/verifiers/checks"
	"github.com/chaeos/chaeos/verifiers/keyset"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/observation"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/saved"
)

// listedFaults are those that a published verifier let pass (or that no other table holds): each must be found, with
// its exact count.
var listedFaults = []planted{
	{"a hole of six acknowledged offsets", func(w *world) {
		l := w.log("out-"+srcName, 0)
		for range 6 {
			l.dropRecord(l.batches[20], 2)
		}
	}, srcName, func(n *harness.Numbers) {
		n.Unique, n.Lost, n.LostBy = records-6, 6, map[string]uint64{"acked but absent": 6}
	},
		harness.Violated, 3, "6 of 3,000 acknowledged records are not in the log"},
	{"the right identity with a wrong value", func(w *world) { // what the read-back makes of it: see its own test on real bytes
		w.log("out-"+srcName, 1).batches[5].Records[3] = observation.Record{Offset: 53, Status: observation.Corrupt}
	}, srcName, func(n *harness.Numbers) {
		n.Unique, n.Lost, n.Corrupt, n.LostBy = records-1, 1, 1, map[string]uint64{"acked but absent": 1}
	}, harness.Violated, 3, "1 output records are corrupt"},
	{"a compacted input", func(w *world) {
		b := w.log(inTopic, 1).batches[40]
		for len(b.Records) > 0 {
			w.log(inTopic, 1).dropRecord(b, 0)
		}
	}, plainName, func(n *harness.Numbers) {
		n.Input, n.Unique, n.AckedAbsent = records-perBatch, records-perBatch, perBatch
		n.AckedAbsentBy = map[string]uint64{"acked but absent": perBatch}
	}, harness.Held, 0, "10 outputs name an input that is not, or no longer, where they say"},
	{"duplicated records at the tail", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.append(&observation.Batch{ProducerID: -1, Records: append([]observation.Record(nil), l.batches[99].Records...)})
	}, srcName, func(n *harness.Numbers) {
		n.Duplicates, n.DuplicatedInputs, n.DuplicatesBy = perBatch, perBatch, map[string]uint64{"resend without producer id": perBatch}
	}, harness.Held, 0, "10 extra copies of 10 inputs"},
}

func TestListedFaults(t *testing.T) {
	for _, c := range listedFaults {
		t.Run(c.name, c.try)
	}
}

// TestMarkerIsTheLastEntry: the clean run's transactional logs end with a marker, which is at the log's end and no record.
func TestMarkerIsTheLastEntry(t *testing.T) {
	w := newWorld(records)
	for p := range int32(parts) {
		l := w.log("out-"+txnName, p)
		require.True(t, l.batches[len(l.batches)-1].Control)
	}
	row := rowOf(t, w.judge(t), txnName)
	require.Equal(t, harness.Held, row.Verdict(harness.ExactlyOnce), reasons(row))
	require.EqualValues(t, records, row.Numbers.Unique)
}

// control is what one check must find: a planted fault by name, or a change of its own, and the exact figure, or what the
// check says where it counts nothing.
type control struct {
	planted string
	row     string
	do      func(w *world)
	figure  func(n *harness.Numbers) any
	want    any
	says    string
}

// controls holds a mutation for every check, by the check's name. TestEveryCheckHasControls fails for one without.
var controls = map[string]control{
	"aborted-seen":       {planted: "an aborted transaction shown", figure: func(n *harness.Numbers) any { return *n.AbortedSeen }, want: uint64(30)},
	"bites":              {planted: "a fault that did not bite", says: "did not bite: 0 bytes cut"},
	"bounds":             {planted: "too little before and after", says: "0 records became visible before the first fault, 100 are needed"},
	"committed-not-seen": {planted: "a committed transaction aborted by the log", figure: func(n *harness.Numbers) any { return *n.CommittedNotSeen }, want: uint64(30)},
	"completeness":       {planted: "an incomplete read-back", says: "read up to offset 1000 of 1001"},
	"contradicted":       {planted: "a torn transaction over two partitions", figure: func(n *harness.Numbers) any { return *n.Contradicted }, want: uint64(1), says: "(commit confirmed): abort in out-transactional/1"},
	"corrupt":            {planted: "a damaged batch", figure: func(n *harness.Numbers) any { return n.Corrupt }, want: uint64(perBatch)},
	"duplicates":         {planted: "each 1000th output doubled by another incarnation", figure: func(n *harness.Numbers) any { return n.Duplicates }, want: uint64(3)},
	"foreign":            {planted: "records at the tail that nobody sent", figure: func(n *harness.Numbers) any { return n.Foreign }, want: uint64(1)},
	"hanging":            {planted: "a transaction that no coordinator lists", figure: func(n *harness.Numbers) any { return n.Hanging }, want: uint64(1), says: "no coordinator lists it, so nobody ends it"},
	"hidden":             {planted: "an open transaction at the end", figure: func(n *harness.Numbers) any { return n.Hidden }, want: uint64(30)},
	"input":              {row: plainName, do: func(w *world) { *w = *newWorld(0) }, figure: func(n *harness.Numbers) any { return n.Input }, want: uint64(0), says: "there was no input"},
	"latency":            {row: plainName, do: unseenTail, figure: func(n *harness.Numbers) any { return n.NeverLive }, want: uint64(90), says: "the 99th percentile is infinite: 90 inputs"},
	"lost":               {planted: "each 1000th output dropped", figure: func(n *harness.Numbers) any { return n.Lost }, want: uint64(3)},
	"lso-stalls":         {row: txnName, do: standingLSO, figure: func(n *harness.Numbers) any { return *n.LongestStall }, want: 1500 * time.Millisecond},
	"no-progress":        {row: plainName, do: pausedOutput, figure: func(n *harness.Numbers) any { return *n.NoProgress }, want: 1500 * time.Millisecond},
	"offsets-went-back":  {planted: "committed offsets that went back", figure: func(n *harness.Numbers) any { return n.OffsetsWentBack }, want: uint64(2)},
	"phantom":            {planted: "a refused commit that happened", figure: func(n *harness.Numbers) any { return n.Phantom }, want: uint64(30)},
	"recovery": {row: plainName, do: func(w *world) {
		w.fault(900, 2000)
		pausedOutput(w)
	}, figure: func(n *harness.Numbers) any { return *n.Recovery }, want: 1590 * time.Millisecond},
	"reordered": {planted: "an order inversion", figure: func(n *harness.Numbers) any { return n.Reordered }, want: uint64(1)},
	"source":    {planted: "an input acknowledged and absent", figure: func(n *harness.Numbers) any { return n.AckedAbsent }, want: uint64(3)},
	"split": {row: fanName, do: func(w *world) {
		*w = *fanWorld(records)
		l := w.log("out-"+fanName, 1)
		l.dropRecord(l.batches[0], 4)
	}, figure: func(n *harness.Numbers) any { return *n.Split }, want: uint64(1), says: "1 inputs are visible in one output topic and missing from another, e.g. in/1 offset 4 (source 0 sequence 13)"},
	"torn":        {planted: "a torn transaction over two partitions", figure: func(n *harness.Numbers) any { return *n.Torn }, want: uint64(1)},
	"unknown":     {planted: "unknown records, one of which is there", figure: func(n *harness.Numbers) any { return [2]uint64{n.Unknown, n.UnknownHappened} }, want: [2]uint64{3, 1}},
	"unprocessed": {planted: "input left over", figure: func(n *harness.Numbers) any { return n.Unprocessed }, want: uint64(perBatch)},
}

// unseenTail keeps the last outputs from the live reader.
func unseenTail(w *world) {
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.Seen); ok && s.Topic == "out-"+plainName && s.At > at(2950) {
			s.New = 0
		}
	}
}

// standingLSO makes one partition's last stable offset stand still from 1.0 s to 2.5 s.
func standingLSO(w *world) {
	for _, e := range w.hist("observer-samples").entries {
		if s, ok := e.(*history.Sample); ok && s.Topic == "out-"+txnName && s.Partition == 1 && s.At >= at(1000) && s.At < at(2500) {
			s.LSO = 100
		}
	}
}

// pausedOutput makes one partition show nothing new from 1.0 s to 2.5 s.
func pausedOutput(w *world) {
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.Seen); ok && s.Topic == "out-"+plainName && s.Partition == 0 && s.At > at(990) && s.At < at(2490) {
			s.At = at(2490)
		}
	}
}

// evidenceOf gathers a row's evidence of a saved world.
func evidenceOf(t *testing.T, w *world, row string) *checks.Facts {
	t.Helper()
	r, err := saved.Load(w.save(t), small)
	require.NoError(t, err)
	in, err := logs.ReadInput(r)
	require.NoError(t, err)
	layout, err := r.Record.Plan.Pipeline(row)
	require.NoError(t, err)
	keep := rows.Keep{Most: harness.MaxAnomalies}
	e, err := checks.Gather(r, in, layout, keep, causes.NewInputLosses(r, in, keep))
	require.NoError(t, err)
	return e
}

// TestEveryCheckHasControls runs every registered check by itself on its planted fault, which it must find with the exact
// figure, and on a clean run under a fault that bit every row, on which it must be silent.
func TestEveryCheckHasControls(t *testing.T) {
	faults := slices.Concat(plantedFaults, listedFaults)
	for _, check := range checks.All {
		t.Run(check.Name, func(t *testing.T) {
			c, ok := controls[check.Name]
			require.True(t, ok, "the check has no planted fault: add one to controls")
			if c.planted != "" {
				i := slices.IndexFunc(faults, func(p planted) bool { return p.name == c.planted })
				require.GreaterOrEqual(t, i, 0, "no planted fault %q", c.planted)
				c.do, c.row = faults[i].do, faults[i].row
			}
			c.find(t, check)
			requireSilence(t, check)
		})
	}
	require.Len(t, controls, len(checks.All), "a control without a check")
}

func (c control) find(t *testing.T, check checks.Check) {
	t.Helper()
	w := newWorld(records)
	c.do(w)
	var n harness.Numbers
	texts := textsOf(check.Run(evidenceOf(t, w, c.row), &n))
	require.True(t, c.figure != nil || c.says != "", "a control says what must be found")
	what := c.says
	if c.figure != nil {
		got := c.figure(&n)
		require.Equal(t, c.want, got, texts)
		what = strings.TrimSpace(fmt.Sprint(got, " ", c.says))
	}
	require.Contains(t, texts, c.says)
	if testing.Verbose() {
		fmt.Printf("control: check %s: %s: found %s\n", check.Name, cmp.Or(c.planted, "a change of its own"), what)
	}
}

func textsOf(found []checks.Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.Text)
	}
	return strings.Join(all, "; ")
}

// requireSilence: on a clean run a check says nothing, and counts nothing that is wrong.
func requireSilence(t *testing.T, check checks.Check) {
	t.Helper()
	for _, row := range []string{srcName, plainName, txnName} {
		w := newWorld(records)
		w.fault(1000, 2000)
		var n harness.Numbers
		require.Empty(t, textsOf(check.Run(evidenceOf(t, w, row), &n)), "%s is not silent on the clean row %s", check.Name, row)
		require.Zero(t, n.Duplicates+n.Lost+n.Unprocessed+n.Hidden+n.Unknown+n.Phantom+n.Reordered+n.Corrupt+n.Foreign+n.OffsetsWentBack+n.AckedAbsent+n.IdentityTwice+n.NeverLive+n.Hanging)
		for _, counted := range []*uint64{n.Torn, n.CommittedNotSeen, n.AbortedSeen, n.Contradicted, n.LSOStalls} {
			require.True(t, counted == nil || *counted == 0)
		}
	}
}

// tellControl prints what a planted fault changed in its row, for make controls.
func tellControl(t *testing.T, name, row string, clean harness.Numbers, got harness.Row) {
	if !testing.Verbose() {
		return
	}
	was, is := map[string]any{}, map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, clean)), &was))
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, got.Numbers)), &is))
	var changed []string
	for key, value := range is {
		if !reflect.DeepEqual(value, was[key]) && key != "p50" && key != "p99" {
			changed = append(changed, fmt.Sprintf("%s %v", key, value))
		}
	}
	slices.Sort(changed)
	fmt.Printf("control: %s (%s): %s; %s\n", name, row, got.Delivered, cmp.Or(strings.Join(changed, ", "), "no figure changed"))
}

// TestIdentityIsAsserted: an input that is counted twice, or not at all, makes the row inconclusive, whatever else it proves.
func TestIdentityIsAsserted(t *testing.T) {
	for name, do := range map[string]func(e *checks.Facts){
		"twice":      func(e *checks.Facts) { e.Lost.Add(keyset.Key{Class: 1, Index: 7}) },
		"not at all": func(e *checks.Facts) { e.InputCount++ },
	} {
		e := evidenceOf(t, newWorld(records), plainName)
		do(e)
		var n harness.Numbers
		found := checks.CheckInput(e, &n)
		require.Len(t, found, 1, name)
		require.True(t, found[0].Internal, name)
	}
}
