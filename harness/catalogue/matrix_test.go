package catalogue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/workloads"
)

// notInMatrix are the consume–process–produce pipelines that the matrix leaves out, each with where it is instead.
var notInMatrix = map[string]string{
	"aborting-read-uncommitted":       "it writes as aborting does, and its readers break the claim without any fault: isolation",
	"transactional-halves":            "it is made for late requests: late-request",
	"transactional-halves-old-client": "it is made for late requests: late-request",
}

// TestTheMatrixHasEveryPipeline: every one that reads the input and writes an output is in it, or in the list above.
func TestTheMatrixHasEveryPipeline(t *testing.T) {
	e, err := Find("matrix")
	require.NoError(t, err)
	for _, p := range workloads.Infos() {
		if p.ProducerOnly || p.Effects {
			continue
		}
		if notInMatrix[p.Name] == "" {
			require.Contains(t, e.Pipelines, p.Name, "add it, or say in notInMatrix where it is instead")
		} else {
			require.NotContains(t, e.Pipelines, p.Name)
		}
	}
}
