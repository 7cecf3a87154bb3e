package toxics

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rooms are in the order in which they may import each other: each only those before it.
var rooms = []string{"frames", "kafkatoxic", "admin", "target", "inject", "kit", "", "tried"}

// TestRoomsImportOneWay: what a target is needs no fault, and no machinery needs one.
func TestRoomsImportOneWay(t *testing.T) {
	const module = "github.com/chaeos/chaeos/toxics"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	require.NoError(t, err)
	level := func(path string) int {
		return slices.Index(rooms, strings.TrimPrefix(strings.TrimPrefix(path, module), "/"))
	}
	for line := range strings.Lines(string(out)) {
		paths := strings.Fields(line)
		if strings.HasSuffix(paths[0], "/brokertest") {
			continue // tests only
		}
		require.GreaterOrEqual(t, level(paths[0]), 0, "%s is no known room", paths[0])
		for _, to := range paths[1:] {
			if to == module || strings.HasPrefix(to, module+"/") {
				assert.Less(t, level(to), level(paths[0]), "%s imports %s", paths[0], to)
			}
		}
	}
}
