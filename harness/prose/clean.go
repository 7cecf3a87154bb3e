package prose

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes a text from elsewhere (a run's folder, YAML, a broker's log) fit for one line of a terminal: what a terminal
// would obey, or would hide, is written out as an escape (\x1b), a newline becomes "; " and a tab a blank.
func Line(s string) string {
	return clean(strings.TrimRight(s, "\r\n"), func(r rune) string {
		switch r {
		case '\n':
			return "; "
		case '\t':
			return " "
		}
		return ""
	})
}

// Lines does the same for a text of several lines: newlines and tabs stay.
func Lines(s string) string {
	return clean(strings.ReplaceAll(s, "\r\n", "\n"), func(r rune) string {
		if r == '\n' || r == '\t' {
			return string(r)
		}
		return ""
	})
}

// clean writes out what is not plain text, but for the characters that instead replaces.
func clean(s string, instead func(rune) string) string {
	if !strings.ContainsFunc(s, Unsafe) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !Unsafe(r):
			b.WriteRune(r)
		default:
			b.WriteString(written(r, instead(r)))
		}
	}
	return b.String()
}

func written(r rune, instead string) string {
	switch {
	case instead != "":
		return instead
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	default:
		return fmt.Sprintf(`\u%04x`, r)
	}
}

// Unsafe reports whether a terminal may obey a character, or show the text around it in another order: control characters of
// either range, what changes the direction of writing, separators of lines, and bytes that are no character.
func Unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == utf8.RuneError
}

// Cleaned returns a copy of v in which every string went through Line, however deep it is: in structs, slices, maps and behind
// pointers. What a struct does not export stays as it is.
func Cleaned[T any](v T) T {
	in := reflect.ValueOf(&v).Elem()
	in.Set(cleaned(in))
	return v
}

func cleaned(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(Line(v.String()))
	case reflect.Pointer, reflect.Interface:
		cleanBehind(out, v)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(cleaned(v.Field(i)))
			}
		}
	case reflect.Slice, reflect.Array:
		cleanList(out, v)
	case reflect.Map:
		cleanMap(out, v)
	}
	return out
}

func cleanBehind(out, v reflect.Value) {
	if v.IsNil() {
		return
	}
	inner := cleaned(v.Elem())
	if v.Kind() == reflect.Interface {
		out.Set(inner)
		return
	}
	out.Set(reflect.New(v.Type().Elem()))
	out.Elem().Set(inner)
}

func cleanList(out, v reflect.Value) {
	if v.Kind() == reflect.Slice {
		if v.IsNil() {
			return
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
	}
	for i := range v.Len() {
		out.Index(i).Set(cleaned(v.Index(i)))
	}
}

func cleanMap(out, v reflect.Value) {
	if v.IsNil() {
		return
	}
	out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
	for it := v.MapRange(); it.Next(); {
		out.SetMapIndex(cleaned(it.Key()), cleaned(it.Value()))
	}
}
