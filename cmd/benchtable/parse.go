package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// measured are the figures of go test -bench: by benchmark and unit. Order lists the benchmarks as they came.
type measured struct {
	figures map[string]map[string]float64
	order   []string
	cpu     string
	// failed are the lines that report a failure.
	failed []string
}

// processors is what go test adds to a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// parse reads what go test -bench printed, and hands every line on as it comes.
func parse(in io.Reader, each func(string)) (measured, error) {
	m := measured{figures: map[string]map[string]float64{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := lines.Text()
		each(text)
		switch {
		case strings.HasPrefix(text, "cpu: "):
			m.cpu = strings.TrimPrefix(text, "cpu: ")
		case strings.HasPrefix(text, "FAIL"), strings.HasPrefix(text, "--- FAIL"), strings.HasPrefix(text, "panic:"):
			m.failed = append(m.failed, text)
		case strings.HasPrefix(text, "Benchmark"):
			if err := m.add(strings.Fields(text)); err != nil {
				return m, fmt.Errorf("%q: %w", text, err)
			}
		}
	}
	return m, lines.Err()
}

// add takes a result: name, iterations, and pairs of value and unit.
func (m *measured) add(fields []string) error {
	if len(fields) < 4 {
		return nil // the name alone: its result comes later, or never
	}
	name := processors.ReplaceAllString(fields[0], "")
	if m.figures[name] == nil {
		m.figures[name] = map[string]float64{}
		m.order = append(m.order, name)
	}
	for i := 2; i+1 < len(fields); i += 2 {
		v, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			return err
		}
		m.figures[name][fields[i+1]] = v
	}
	return nil
}
