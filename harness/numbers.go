package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Number declares one figure of a row. The check that computes it declares it, and every output shows it because of that:
// tables, JSON and its schema, CSV, Markdown, JUnit, HTML, comparisons, summaries and docs/NUMBERS.md.
type Number struct {
	// Key is its name in JSON and CSV, Header its name in tables.
	Key, Header string
	Kind        NumberKind
	Show        Show
	Absent      Absent
	// Of is the number that it says more about, "" for none: where that has no value, this has none.
	Of string
	// After is the number that it follows in JSON, "" for the one declared before it.
	After string
	// Text is how a table for people prints it, nil for its plain value. Format prints a plain value.
	Text func(n Numbers, format func(any) string) string
	// Worst puts it in summaries, which show the largest value of all runs.
	Worst bool
	// Measure tells a measurement from a count of things that went wrong, which is 0 on a clean run.
	Measure bool
	// Means is its definition and Unseen what it can't see, for docs/NUMBERS.md.
	Means, Unseen string
}

// NumberKind is what a number counts.
type NumberKind int

// The kinds, each with the type of its values.
const (
	Count       NumberKind = iota // uint64
	Duration                      // time.Duration, in JSON nanoseconds
	PartitionID                   // int32
	ByCause                       // map[string]uint64: a number's parts, in JSON only
)

// Show says where a number appears.
type Show int

// A number is in every table, in a table only where a row has something other than 0 to show, or only in the formats that
// programs read.
const (
	Always Show = iota
	WhenNonZero
	DataOnly
)

// Absent says what it means that a number has no value.
type Absent int

// The absences.
const (
	// Zero is for a number that always has a value, and starts from 0.
	Zero Absent = iota
	// Null is for one that may not apply, or may not have been observed: "–" in tables and null in JSON, never 0.
	Null
	// Omitted is Null, and JSON leaves it out.
	Omitted
)

// declared are all numbers in the order in which reports show them. It is set once, while the program is initialised.
var declared []Number

// DeclareNumbers makes the numbers known, in the order in which reports show them. The registry of checks calls it, once.
func DeclareNumbers(all []Number) {
	if declared != nil {
		panic("numbers are declared twice")
	}
	declared = all
}

// DeclaredNumbers lists all numbers in the order in which reports show them. A program that reads or writes reports has to
// import the checks (verifiers), which declare them.
func DeclaredNumbers() []Number {
	if declared == nil {
		panic("no number is declared: import chaeos/verifiers")
	}
	return declared
}

func numberOf(key string) Number {
	i := slices.IndexFunc(DeclaredNumbers(), func(n Number) bool { return n.Key == key })
	if i < 0 {
		panic(fmt.Sprintf("no number %q is declared", key))
	}
	return declared[i]
}

// Numbers are one row's figures. The zero value is a row in which nothing was counted or observed.
type Numbers struct {
	// values hold what is not absent, nor 0 where absent means 0.
	values map[string]any
}

// NumbersOf makes numbers from pairs of a key and a value.
func NumbersOf(pairs ...any) (n Numbers) {
	for i := 0; i < len(pairs); i += 2 {
		n.Set(pairs[i].(string), pairs[i+1])
	}
	return n
}

// Set gives a declared number its value: of its kind, or an int for a count. It panics for any other.
func (n *Numbers) Set(key string, value any) {
	d := numberOf(key)
	if i, is := value.(int); is {
		value = uint64(i)
	}
	zero := false
	switch v := value.(type) {
	case uint64:
		d.must(Count)
		zero = v == 0
	case time.Duration:
		d.must(Duration)
	case int32:
		d.must(PartitionID)
		zero = v == 0
	case map[string]uint64:
		d.must(ByCause)
		zero = len(v) == 0
	default:
		panic(fmt.Sprintf("%s can't be a %T", key, value))
	}
	if zero && (d.Absent == Zero || d.Kind == ByCause) {
		delete(n.values, key)
		return
	}
	if n.values == nil {
		n.values = map[string]any{}
	}
	n.values[key] = value
}

func (d Number) must(k NumberKind) {
	if d.Kind != k {
		panic(d.Key + " is of another kind")
	}
}

// Clear takes a number's value away.
func (n *Numbers) Clear(key string) { delete(n.values, key) }

// Add takes every value that others have.
func (n *Numbers) Add(others Numbers) {
	for key, value := range others.values {
		n.Set(key, value)
	}
}

// Keys lists the numbers that have a value other than a plain 0, sorted.
func (n Numbers) Keys() []string {
	var keys []string
	for key := range n.values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Value is a number's value by its kind, or nil where it does not apply or was not observed.
func (n Numbers) Value(key string) any {
	d := numberOf(key)
	if d.Of != "" && n.Value(d.Of) == nil {
		return nil
	}
	v, ok := n.values[key]
	switch {
	case ok:
		return v
	case d.Absent != Zero:
		return nil
	case d.Kind == Count:
		return uint64(0)
	case d.Kind == PartitionID:
		return int32(0)
	}
	return nil
}

// Count is a count's value, 0 where it has none.
func (n Numbers) Count(key string) uint64 {
	numberOf(key).must(Count)
	v, _ := n.values[key].(uint64)
	return v
}

// Duration is a duration's value, 0 where it has none.
func (n Numbers) Duration(key string) time.Duration {
	numberOf(key).must(Duration)
	v, _ := n.values[key].(time.Duration)
	return v
}

// ByCause are the parts of a count, nil where it has none.
func (n Numbers) ByCause(key string) map[string]uint64 {
	numberOf(key).must(ByCause)
	v, _ := n.values[key].(map[string]uint64)
	return v
}

// InJSON are the numbers in the order in which JSON has them.
func InJSON() []Number {
	all := slices.Clone(DeclaredNumbers())
	for i := 0; i < len(all); i++ {
		n := all[i]
		if at := slices.IndexFunc(all, func(o Number) bool { return o.Key == n.After }); n.After != "" && at > i {
			all = slices.Insert(slices.Delete(all, i, i+1), at, n)
			i--
		}
	}
	return all
}

// MarshalJSON writes every number that JSON has, in order.
func (n Numbers) MarshalJSON() ([]byte, error) {
	if declared == nil {
		return nil, errNoNumbers
	}
	b := bytes.NewBufferString("{")
	for _, d := range InJSON() {
		v, ok := n.values[d.Key]
		if !ok && (d.Absent == Omitted || d.Kind == ByCause) {
			continue
		}
		if !ok && d.Absent == Zero {
			v = 0
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:%s", d.Key, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

var errNoNumbers = errors.New("no number is declared: import chaeos/verifiers")

// UnmarshalJSON reads the declared numbers and passes over others, which a newer version may have written.
func (n *Numbers) UnmarshalJSON(data []byte) error {
	if declared == nil {
		return errNoNumbers
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	*n = Numbers{}
	for _, d := range declared {
		text, ok := all[d.Key]
		if !ok || string(text) == "null" {
			continue
		}
		v, err := d.Kind.read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Key, err)
		}
		n.Set(d.Key, v)
	}
	return nil
}

func (k NumberKind) read(text json.RawMessage) (any, error) {
	switch k {
	case Duration:
		return into[time.Duration](text)
	case PartitionID:
		return into[int32](text)
	case ByCause:
		return into[map[string]uint64](text)
	}
	return into[uint64](text)
}

func into[T any](text json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(text, &v)
	return v, err
}
