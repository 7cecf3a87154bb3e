package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/toxics"
	"github.com/chaeos/chaeos/toxics/target"
)

// written replaces what stands for a name in a target's syntax.
var written = strings.NewReplacer(
	"TARGET and TARGET", "broker 1 and broker 2", "TARGET, not TARGET", "all workers, not worker 0", "not TARGET", "not broker 1",
	"[PIPELINE]", "idempotent", "PIPELINE", "idempotent", "TOPIC", "output", "PARTITION", "0", "broker N", "broker 1", "worker N", "worker 1",
)

// onTarget is an experiment with one line that gives its fault no options.
func onTarget(fault, target string) []byte {
	return fmt.Appendf(nil, `name: aimed
summary: one fault
pipelines: [idempotent, notify-then-commit, idempotent-producer]
load: {duration: 60s}
allow-quorum-loss: true
faults: [{at: 9s, for: 2s, fault: %s, target: %q}]
`, fault, target)
}

// TestEveryFaultOnEveryTarget: a fault that can't hit a target says why, and where in the file.
func TestEveryFaultOnEveryTarget(t *testing.T) {
	loads := map[string]bool{}
	for _, kind := range toxics.All() {
		for _, form := range target.Forms() {
			text := written.Replace(form)
			require.Equal(t, strings.ToLower(text), text, "%s: a word in capitals stands for a name", form)
			_, err := parse("aimed.yaml", onTarget(kind.Name, text), pipelines())
			if err == nil {
				loads[kind.Name] = true
				continue
			}
			assert.Regexp(t, `^aimed\.yaml:6:\d+: \S`, err.Error(), "%s on %s", kind.Name, text)
		}
	}
	for _, kind := range toxics.All() {
		assert.True(t, loads[kind.Name], "%s hits nothing without options", kind.Name)
	}
}

// TestAnOptionThatIsMissingIsSaidAtTheTarget: faults on links hit the external service only over its own link, which the line
// must name.
func TestAnOptionThatIsMissingIsSaidAtTheTarget(t *testing.T) {
	for _, fault := range []string{"bandwidth", "latency", "partition", "refuse", "reset", "slow-close"} {
		source := onTarget(fault, "external service")
		_, err := parse("aimed.yaml", source, pipelines())
		line := strings.Split(string(source), "\n")[5]
		require.EqualError(t, err, fmt.Sprintf(`aimed.yaml:6:%d: links: "external service" has one link only: links: service`,
			strings.Index(line, `"external`)+1), fault)
	}
	_, err := parse("aimed.yaml", onTarget("partition", "owner of output/0"), pipelines())
	require.ErrorContains(t, err, `links: "owner of output/0" has client links only`)
	require.True(t, slices.Contains(target.Forms(), "external service"))
}
