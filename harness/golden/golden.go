// Package golden compares what a test got with a golden file, and shows only the lines that differ. It is for tests.
package golden

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Same requires that a golden file holds just what a test got, or writes it where update is set.
func Same(t testing.TB, path, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("no golden file, -update writes it: %v", err)
	}
	if diff := Diff(string(want), got); diff != "" {
		t.Fatalf("%s is not what the test got (-update writes it):\n%s", path, diff)
	}
}

const (
	// ahead is how far two texts are searched for where they agree again.
	ahead = 200
	// most is how many lines of a difference are shown, and widest how much of each.
	most   = 60
	widest = 400
)

// Diff lists the lines that differ, "" for none: "-" are the first text's and "+" the second's, each by its own line number.
func Diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out []string
	show := func(sign string, n int, line string) {
		if len(line) > widest {
			line = line[:widest] + " …"
		}
		out = append(out, fmt.Sprintf("%s%5d  %s", sign, n+1, line))
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		da, db := apart(a[i:], b[j:])
		for k := range da {
			show("-", i+k, a[i+k])
		}
		for k := range db {
			show("+", j+k, b[j+k])
		}
		i, j = i+da, j+db
	}
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("and %d more lines", len(out)-most))
	}
	return strings.Join(out, "\n")
}

// apart is how many lines of each text come before the first that both have.
func apart(a, b []string) (da, db int) {
	for sum := 1; sum <= ahead; sum++ {
		for da := max(0, sum-len(b)+1); da <= sum && da < len(a); da++ {
			if db := sum - da; db < len(b) && a[da] == b[db] {
				return da, db
			}
		}
	}
	return min(len(a), ahead), min(len(b), ahead)
}
