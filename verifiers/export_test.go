package verifiers

import "testing"

// SavePlanted saves the clean run with one planted fault in it ("" none), for tests outside this package.
func SavePlanted(t testing.TB, name string) (dir string) {
	t.Helper()
	w := newWorld(records)
	for _, c := range plantedFaults {
		if c.name == name {
			c.do(w)
			return w.save(t)
		}
	}
	if name != "" {
		t.Fatalf("no planted fault %q", name)
	}
	return w.save(t)
}
