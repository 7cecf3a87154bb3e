package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/prose"
)

// JSON writes the report for programs, durations in nanoseconds. Several reports on one writer are a stream of documents.
// Errors are w's.
func JSON(w io.Writer, report *harness.Report) error { return EncodeJSON(w, report) }

// EncodeJSON writes one document, indented, with <, > and & as they are. What a terminal would obey is escaped. Errors are w's.
func EncodeJSON(w io.Writer, document any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return err
	}
	_, err := w.Write(escaped(b.Bytes()))
	return err
}

// escaped writes out the characters that a terminal would obey and that encoding/json leaves as they are. All of them are in
// strings: the rest of a document is ASCII.
func escaped(text []byte) []byte {
	obeyed := func(r rune) bool { return r != '\n' && r != utf8.RuneError && prose.Unsafe(r) }
	if !bytes.ContainsFunc(text, obeyed) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		if obeyed(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}
