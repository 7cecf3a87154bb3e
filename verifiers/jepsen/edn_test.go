package jepsen_test

import (
	"fmt"
	"strconv"
	"strings"
)

// The reader of histories shares nothing with what writes them, nor with the judge: an EDN reader of its own, and plain
// maps. What Jepsen's histories have of EDN (github.com/edn-format/edn) is nil, booleans, integers,
// strings, keywords, vectors and maps.
type keyword string

type ednReader struct {
	text string
	at   int
}

// readEDN reads one form, which must be all of the text.
func readEDN(text string) (form any, err error) {
	r := &ednReader{text: text}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("at %d of %.60q…: %v", r.at, text, p)
		}
	}()
	form = r.form()
	if r.space(); r.at != len(text) {
		panic("something follows")
	}
	return form, nil
}

func (r *ednReader) space() {
	for r.at < len(r.text) && strings.ContainsRune(" ,\t\r\n", rune(r.text[r.at])) {
		r.at++
	}
}

func (r *ednReader) form() any {
	r.space()
	switch c := r.text[r.at]; c {
	case '{':
		r.at++
		return r.dictionary()
	case '[':
		r.at++
		return r.vector()
	case '"':
		return r.str()
	case ':':
		r.at++
		return keyword(r.token())
	}
	switch token := r.token(); token {
	case "nil":
		return nil
	case "true", "false":
		return token == "true"
	default:
		n, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			panic(err)
		}
		return n
	}
}

func (r *ednReader) token() string {
	from := r.at
	for r.at < len(r.text) && !strings.ContainsRune(` ,[]{}"`, rune(r.text[r.at])) {
		r.at++
	}
	if r.at == from {
		panic("nothing where something should be")
	}
	return r.text[from:r.at]
}

func (r *ednReader) str() string {
	end := strings.IndexByte(r.text[r.at+1:], '"')
	s := r.text[r.at+1 : r.at+1+end]
	if strings.ContainsAny(s, "\\\n") {
		panic("a string with escapes")
	}
	r.at += end + 2
	return s
}

func (r *ednReader) vector() []any {
	list := []any{}
	for r.space(); r.text[r.at] != ']'; r.space() {
		list = append(list, r.form())
	}
	r.at++
	return list
}

func (r *ednReader) dictionary() map[any]any {
	m := map[any]any{}
	for r.space(); r.text[r.at] != '}'; r.space() {
		k := r.form()
		if _, twice := m[k]; twice {
			panic(fmt.Sprintf("key %v twice", k))
		}
		m[k] = r.form()
	}
	r.at++
	return m
}
