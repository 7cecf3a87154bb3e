package containers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/contract"
	"github.com/chaeos/chaeos/harness"
)

func TestContract(t *testing.T) {
	contract.Test(t, contract.Case{Provider: testProvider(), Spec: testSpec, Left: left})
}

// left lists what the engine has of clusters.
func left(t *testing.T) []string {
	t.Helper()
	engine, err := Connect(t.Context())
	require.NoError(t, err)
	defer func() { _ = engine.Close() }()
	all, err := engine.Leftovers(t.Context())
	require.NoError(t, err)
	texts := []string{}
	for _, l := range all {
		texts = append(texts, l.String())
	}
	return texts
}

var testSpec = harness.ClusterSpec{Kafka: "4.3.1"}
