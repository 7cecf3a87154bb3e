package local

import "github.com/chaeos/chaeos/harness"

var _ harness.CapableProvider = (*Provider)(nil)

// Abilities declares what clusters of local processes can do.
func Abilities() []string {
	return []string{harness.CanLinks, harness.CanKill, harness.CanStop, harness.CanPause, harness.CanWipe, harness.CanCut,
		harness.CanTopology, harness.CanLogs, harness.CanKeep, harness.CanService}
}

// Capabilities declares the same of the provider.
func (p *Provider) Capabilities() []string { return Abilities() }
