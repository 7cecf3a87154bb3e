package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/fake"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics"
)

// TestDocsListWhatProvidersDeclare keeps the table of docs/CLUSTERS.md.
func TestDocsListWhatProvidersDeclare(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "CLUSTERS.md"))
	require.NoError(t, err)
	yes := func(can []string, name string) string {
		if slices.Contains(can, name) {
			return "yes"
		}
		return "no"
	}
	for _, a := range harness.Abilities() {
		row := fmt.Sprintf("\n| %s | %s | ", a.Name, a.About)
		for _, p := range All() {
			row += yes(p.abilities, a.Name) + " | "
		}
		require.Contains(t, string(docs), row+yes(fake.Abilities(), a.Name)+" |\n", "a column for each provider, in the registry's order")
	}
}

// TestFaultsNeedAbilitiesThereAre finds a fault that no provider could ever satisfy.
func TestFaultsNeedAbilitiesThereAre(t *testing.T) {
	var names []string
	for _, a := range harness.Abilities() {
		names = append(names, a.Name)
	}
	for _, kind := range toxics.All() {
		fault, err := toxics.New(kind.Name, nil)
		if err != nil {
			continue // it has options that must be given
		}
		for _, need := range fault.Needs() {
			require.Contains(t, names, need, kind.Name)
		}
	}
}
