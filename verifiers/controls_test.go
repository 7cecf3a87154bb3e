package verifiers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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
	"github.com/chaeos/chaeos/verifiers/checks/kit"
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
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.LostBy = records-6, 6, map[string]uint64{"acked but absent": 6}
	},
		harness.Violated, 3, "6 of 3,000 acknowledged records are not in the log"},
	{"the right identity with a wrong value", func(w *world) { // what the read-back makes of it: see its own test on real bytes
		w.log("out-"+srcName, 1).batches[5].Records[3] = observation.Record{Offset: 53, Status: observation.Corrupt}
	}, srcName, func(n *figures) {
		n.Unique, n.Lost, n.Corrupt, n.LostBy = records-1, 1, 1, map[string]uint64{"acked but absent": 1}
	}, harness.Violated, 3, "1 output records are corrupt"},
	{"a compacted input", func(w *world) {
		b := w.log(inTopic, 1).batches[40]
		for len(b.Records) > 0 {
			w.log(inTopic, 1).dropRecord(b, 0)
		}
	}, plainName, func(n *figures) {
		n.Input, n.Unique, n.AckedAbsent, n.Unmatched = records-perBatch, records-perBatch, perBatch, perBatch
		n.AckedAbsentBy = map[string]uint64{"acked but absent": perBatch}
	}, harness.Inconclusive, 3, "10 outputs name an input that is not, or no longer, where they say"},
	{"duplicated records at the tail", func(w *world) {
		l := w.log("out-"+srcName, 2)
		l.append(&observation.Batch{ProducerID: -1, Records: append([]observation.Record(nil), l.batches[99].Records...)})
	}, srcName, func(n *figures) {
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
	require.EqualValues(t, records, figuresOf(row.Numbers).Unique)
}

// control is what one check must find in a run with its planted fault: numbers by name, and what the check says.
type control struct {
	// row and do are those of the planted fault, where no table of planted faults has it.
	row   string
	do    func(w *world)
	finds map[string]any
	says  string
}

// controls holds, for every check, what it finds of its planted fault (Check.Control). TestEveryCheckHasControls fails for a
// check without.
var controls = map[string]control{
	"aborted-seen":       {finds: numbers{"abortedSeen": uint64(30)}},
	"took-effect":        {says: "did not take effect: 0 bytes cut"},
	"bounds":             {says: "0 records became visible before the first fault, 100 are needed"},
	"committed-not-seen": {finds: numbers{"committedNotSeen": uint64(30)}},
	"completeness":       {says: "read up to offset 1000 of 1001"},
	"contradicted":       {finds: numbers{"contradicted": uint64(1)}, says: "(commit confirmed): abort in out-transactional/1"},
	"corrupt":            {finds: numbers{"corrupt": uint64(perBatch)}},
	"duplicates":         {finds: numbers{"duplicates": uint64(3), "duplicatedInputs": uint64(3)}},
	"epochs-back":        {finds: numbers{"epochsBack": uint64(1)}},
	"foreign":            {finds: numbers{"foreign": uint64(1)}},
	"forks": {row: plainName, do: func(w *world) {
		w.replica("out-"+plainName, 1, func(r *observation.Replica) {
			r.Compare(map[int64]observation.Copy{400: {First: 400, Last: 409, LeaderEpoch: 2}}, map[int64]observation.Copy{400: {First: 400, Last: 409, LeaderEpoch: 1}}, 0)
		})
	}, finds: numbers{"forks": uint64(perBatch)}, says: "out-idempotent/1: the replica on broker 2 differs from the leader's at 10 offsets, first at offset 400: leader epoch 2"},
	"hanging":           {finds: numbers{"hanging": uint64(1)}, says: "no coordinator lists it, so nothing ends it"},
	"hidden":            {finds: numbers{"hidden": uint64(30)}},
	"input":             {row: plainName, do: func(w *world) { *w = *newWorld(0) }, finds: numbers{"input": uint64(0)}, says: "there was no input"},
	"latency":           {row: plainName, do: unseenTail, finds: numbers{"neverLive": uint64(90)}, says: "the 99th percentile is infinite: 90 inputs"},
	"lost":              {finds: numbers{"lost": uint64(3)}},
	"lso-stalls":        {row: txnName, do: standingLSO, finds: numbers{"lsoStalls": uint64(1), "longestStall": 1500 * time.Millisecond}},
	"markers":           {finds: numbers{"markerFaults": uint64(1)}},
	"missing-offsets":   {finds: numbers{"missingOffsets": uint64(10)}},
	"no-progress":       {row: plainName, do: pausedOutput, finds: numbers{"noProgress": 1500 * time.Millisecond}},
	"offsets-went-back": {finds: numbers{"offsetsWentBack": uint64(2)}},
	"out-of-order":      {finds: numbers{"outOfOrder": uint64(1)}},
	"phantom":           {finds: numbers{"phantom": uint64(30)}},
	"recovery": {row: plainName, do: func(w *world) {
		w.fault(900, 2000)
		pausedOutput(w)
	}, finds: numbers{"recovery": 1590 * time.Millisecond}},
	"reordered": {finds: numbers{"reordered": uint64(1)}},
	"sequences": {finds: numbers{"storedTwice": uint64(perBatch), "sequenceBreaks": uint64(1)}},
	"source":    {finds: numbers{"ackedAbsent": uint64(3)}},
	"split": {row: fanName, do: func(w *world) {
		*w = *fanWorld(records)
		l := w.log("out-"+fanName, 1)
		l.dropRecord(l.batches[0], 4)
	}, finds: numbers{"split": uint64(1)}, says: "1 inputs are visible in one output topic and missing from another, e.g. in/1 offset 4 (source 0 sequence 13)"},
	"delivered-twice": {row: srcName, do: func(w *world) { w.showBack(srcName, 50) }, finds: numbers{"deliveredTwice": uint64(60), "deliveredTwiceBy": map[string]uint64{"a poll that went back": 60}}},
	"dirty-reads": {row: plainName, do: func(w *world) {
		for i, s := range w.polls(plainName, -1) {
			if i%50 == 49 {
				s.Count += 7
			}
		}
	}, finds: numbers{"dirtyReads": uint64(42)}},
	"early-reads": {row: txnName, do: func(w *world) {
		for _, s := range w.polls(txnName, -1) {
			s.At = s.At.Add(-2 * time.Second)
		}
	}, finds: numbers{"earlyReads": uint64(records)}},
	"poll-skips":  {row: srcName, do: func(w *world) { w.skipPolls(srcName, 1, 40, 19) }, finds: numbers{"pollSkips": uint64(190)}},
	"polls-back":  {row: srcName, do: func(w *world) { w.showBack(srcName, 50) }, finds: numbers{"pollsBack": uint64(6)}, says: "were given 60 records again"},
	"torn":        {finds: numbers{"torn": uint64(1)}},
	"unmatched":   {row: plainName, do: func(w *world) { w.copyElsewhere(plainName, 1) }, finds: numbers{"unmatched": uint64(1), "secondCopies": uint64(1)}},
	"unknown":     {finds: numbers{"unknown": uint64(3), "unknownHappened": uint64(1)}},
	"unprocessed": {finds: numbers{"unprocessed": uint64(perBatch)}},
}

type numbers = map[string]any

// unseenTail keeps the last outputs from the live reader.
func unseenTail(w *world) {
	for _, e := range w.hist("observer-live").entries {
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == "out-"+plainName && s.At > at(2950) {
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
		if s, ok := e.(*history.DeliveredLive); ok && s.Topic == "out-"+plainName && s.Partition == 0 && s.At > at(990) && s.At < at(2490) {
			s.At = at(2490)
		}
	}
}

// factsIn gathers a row's facts in a saved world, with checks at work on it.
func factsIn(t *testing.T, w *world, row string, all ...kit.Check) (*kit.Facts, *kit.Set) {
	t.Helper()
	r, err := saved.Load(w.save(t), small)
	require.NoError(t, err)
	layout, err := r.Record.Plan.Pipeline(row)
	require.NoError(t, err)
	keep := rows.Keep{Most: harness.MaxAnomalies}
	j := &judgement{subject: rows.NewSubject(r, layout, keep)}
	j.set = kit.Begin(j.subject, all)
	in, err := logs.ReadInput(r, inputReaders([]*judgement{j}))
	require.NoError(t, err)
	f, err := factsOf(j.subject, in, causes.NewInputLosses(r, in, keep), j.set)
	require.NoError(t, err)
	return f, j.set
}

// outcomeOf is what one check says of a row in a saved world.
func outcomeOf(t *testing.T, w *world, row string, check kit.Check) kit.Outcome {
	t.Helper()
	f, set := factsIn(t, w, row, check)
	all := set.Finish(f)
	require.Len(t, all, 1)
	require.True(t, all[0].Ran)
	return all[0]
}

// TestEveryCheckHasControls runs every registered check by itself on its planted fault, which it must find with the exact
// figure, and on a clean run under a fault that took effect on every row, on which it must be silent.
func TestEveryCheckHasControls(t *testing.T) {
	faults := slices.Concat(plantedFaults, listedFaults, plantedLogs, plantedOrders, plantedMarkers)
	for _, check := range checks.All() {
		t.Run(check.Name, func(t *testing.T) {
			c, ok := controls[check.Name]
			require.True(t, ok, "the check has no planted fault: add one to controls")
			require.NotEmpty(t, check.Control, "the check does not say which planted fault proves it")
			if c.do == nil {
				i := slices.IndexFunc(faults, func(p planted) bool { return p.name == check.Control })
				require.GreaterOrEqual(t, i, 0, "no planted fault %q", check.Control)
				c.do, c.row = faults[i].do, faults[i].row
			}
			c.find(t, check)
			requireSilence(t, check)
		})
	}
	require.Len(t, controls, len(checks.All()), "a control without a check")
}

// TestEveryNumberIsProved: the oracle knows a number, or its check's control finds it.
func TestEveryNumberIsProved(t *testing.T) {
	known := map[string]bool{}
	for field := range reflect.TypeFor[figures]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[key] = true
	}
	for _, check := range checks.All() {
		for _, n := range check.Numbers {
			_, found := controls[check.Name].finds[n.Key]
			require.True(t, known[n.Key] || found, "no test knows what %s must be: let the check's control find it", n.Key)
		}
	}
}

func (c control) find(t *testing.T, check kit.Check) {
	t.Helper()
	w := newWorld(records)
	c.do(w)
	o := outcomeOf(t, w, c.row, check)
	texts := textsOf(o.Found)
	require.True(t, c.finds != nil || c.says != "", "a control says what must be found")
	found := c.says
	for _, key := range slices.Sorted(maps.Keys(c.finds)) {
		require.Equal(t, c.finds[key], o.Numbers.Value(key), "%s: %s", key, texts)
		found = fmt.Sprint(key, " ", c.finds[key], " ", found)
	}
	require.Contains(t, texts, c.says)
	if testing.Verbose() {
		fmt.Printf("control: check %s: %s: found %s\n", check.Name, check.Control, strings.TrimSpace(found))
	}
}

func textsOf(found []kit.Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.Text)
	}
	return strings.Join(all, "; ")
}

// requireSilence: on a clean run a check says nothing, and counts nothing that is wrong.
func requireSilence(t *testing.T, check kit.Check) {
	t.Helper()
	for _, row := range []string{srcName, plainName, txnName} {
		w := newWorld(records)
		w.fault(1000, 2000)
		o := outcomeOf(t, w, row, check)
		require.Empty(t, textsOf(o.Found), "%s is not silent on the clean row %s", check.Name, row)
		for _, n := range check.Numbers {
			if !n.Measure && n.Kind == harness.Count {
				require.Zero(t, o.Numbers.Count(n.Key), n.Key)
			}
		}
	}
}

// tellControl prints what a planted fault changed in its row, for make controls.
func tellControl(t *testing.T, name, row string, clean figures, got harness.Row) {
	if !testing.Verbose() {
		return
	}
	was, is := map[string]any{}, map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, clean)), &was))
	require.NoError(t, json.Unmarshal([]byte(asJSON(t, figuresOf(got.Numbers))), &is))
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
	all := checks.All()
	input := all[slices.IndexFunc(all, func(c kit.Check) bool { return c.Name == "input" })]
	for name, do := range map[string]func(f *kit.Facts){
		"twice":      func(f *kit.Facts) { f.Lost.Add(keyset.Key{Partition: 1, Index: 7}) },
		"not at all": func(f *kit.Facts) { f.InputCount++ },
	} {
		f, set := factsIn(t, newWorld(records), plainName, input)
		do(f)
		o := set.Finish(f)[0]
		require.Len(t, o.Found, 1, name)
		require.True(t, o.Found[0].Internal, name)
	}
}
