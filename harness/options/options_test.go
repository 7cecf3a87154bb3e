package options

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type kind struct {
	name  string
	takes []Info
}

var registry = Registry[kind]{
	What: "thing", NameOf: func(k kind) string { return k.name }, Takes: func(k kind) []Info { return k.takes },
	Kinds: []kind{{"big", []Info{{Name: "size"}, {Name: "words"}}}, {"small", nil}},
}

func TestARegistryFindsByName(t *testing.T) {
	assert.Equal(t, []string{"big", "small"}, registry.Names())
	found, r, err := registry.Open("big", map[string]any{"size": 3})
	require.NoError(t, err)
	assert.Equal(t, "big", found.name)
	assert.Equal(t, "big", r.Name())
	assert.Equal(t, 3, r.Number("size", 1, 1, 9))
	require.NoError(t, r.Finish())
	_, _, err = registry.Open("huge", nil)
	require.EqualError(t, err, `unknown thing "huge" (one of big, small)`)
}

func TestUnknownOptionsAreNamed(t *testing.T) {
	for name, want := range map[string]string{"big": "colour: big takes size, words", "small": "colour: small takes no options"} {
		_, r, err := registry.Open(name, map[string]any{"colour": "red"})
		require.NoError(t, err)
		err = r.Finish()
		var wrong *Error
		require.ErrorAs(t, err, &wrong)
		assert.True(t, wrong.Unknown)
		assert.EqualError(t, err, want)
	}
}

// Every reader takes what is right, returns its default for what is not given, and says what is wrong.
func TestReaders(t *testing.T) {
	read := func(value any, with func(*Reader) any) (any, error) {
		values := map[string]any{}
		if value != nil {
			values["o"] = value
		}
		r := NewReader("thing", []string{"o"}, values)
		got := with(r)
		return got, r.Finish()
	}
	number := func(r *Reader) any { return r.Number("o", 7, 1, 9) }
	length := func(r *Reader) any { return r.Duration("o", time.Second, time.Millisecond, time.Minute) }
	choice := func(r *Reader) any { return r.OneOf("o", "a", "b") }
	some := func(r *Reader) any { return r.SomeOf("o", []string{"a"}, "a", "b", "c") }
	words := func(r *Reader) any { return r.Words("o") }
	word := func(r *Reader) any { return r.Word("o") }
	settings := func(r *Reader) any { return r.Settings("o") }
	each := func(r *Reader) any { return r.PerPipeline("o") }
	for _, c := range []struct {
		value any
		with  func(*Reader) any
		want  any
		wrong string
	}{
		{nil, number, 7, ""}, {uint64(9), number, 9, ""}, {int64(1), number, 1, ""},
		{10, number, nil, "o: expected a whole number from 1 to 9, not 10"}, {"two", number, nil, "o: expected a whole number"},
		{nil, length, time.Second, ""}, {"2s", length, 2 * time.Second, ""},
		{"2h", length, nil, "o: expected a duration from 1ms to 1m0s"}, {5, length, nil, "o: expected a duration like 200ms"},
		{nil, choice, "a", ""}, {"b", choice, "b", ""}, {"c", choice, nil, "o: expected one of a, b"},
		{nil, some, []string{"a"}, ""}, {"c", some, []string{"c"}, ""}, {[]any{"c", "b"}, some, []string{"b", "c"}, ""},
		{[]any{}, some, nil, "o: expected at least one of a, b, c"}, {[]any{"d"}, some, nil, "o: expected a list of a, b, c"},
		{nil, words, []string(nil), ""}, {"x", words, []string{"x"}, ""}, {[]any{"x", "y"}, words, []string{"x", "y"}, ""},
		{[]any{}, words, nil, "o: expected at least one"}, {[]any{1}, words, nil, "o: expected a word or a list of them"},
		{nil, word, "", ""}, {"x", word, "x", ""}, {"", word, nil, "o: expected a word"},
		{nil, settings, map[string]string(nil), ""},
		{map[string]any{"n": uint64(1), "b": true}, settings, map[string]string{"n": "1", "b": "true"}, ""},
		{map[string]any{"n": []any{}}, settings, nil, "o: expected a value for n"}, {"x", settings, nil, "o: expected a mapping"},
		{nil, each, map[string]string{}, ""}, {"x", each, map[string]string{Everyone: "x"}, ""},
		{map[string]any{"p": "x"}, each, map[string]string{"p": "x"}, ""},
		{map[string]any{"p": 1}, each, nil, "o: expected a word for p"}, {[]any{1}, each, nil, "o: expected a word, or a mapping"},
	} {
		got, err := read(c.value, c.with)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

func TestTheFirstThingThatIsWrongIsSaid(t *testing.T) {
	r := NewReader("thing", []string{"a", "b"}, map[string]any{"a": 1, "b": 2})
	r.Text("a", "")
	r.Text("b", "")
	require.ErrorContains(t, r.Finish(), "a: expected words")
}
