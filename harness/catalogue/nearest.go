package catalogue

import (
	"fmt"
	"strings"

	"github.com/chaeos/chaeos/harness/nearest"
)

// suggest names the nearest of the names, or all of them if none is near.
func suggest(name string, names []string) string {
	near := nearest.Names(name, names)
	if len(near) == 0 {
		return "there are: " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
}
