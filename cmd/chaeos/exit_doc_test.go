package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExitCodesAreDocumented holds docs/READING.md, the one page that lists the exit codes, to the command's help.
func TestExitCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/READING.md")
	require.NoError(t, err)
	codes := 0
	for line := range strings.Lines(exitHelp) {
		if code, meaning, found := strings.Cut(strings.TrimSpace(line), "  "); found {
			codes++
			require.Contains(t, string(page), fmt.Sprintf("\n| %s | %s |\n", code, meaning))
		}
	}
	require.Len(t, precedence, codes)
	_, rule, _ := strings.Cut(exitHelp, "\nOf several")
	require.Contains(t, strings.Join(strings.Fields(string(page)), " "), "Of several"+rule)
}
