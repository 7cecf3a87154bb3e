package results_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
	"github.com/chaeos/chaeos/results"
)

func TestListExperiments(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, results.ListExperiments(&b, []harness.Experiment{
		{Name: "baseline", Summary: "no fault"},
		{Name: "leader-partition", Summary: "the leader is cut off from its peers, clients still reach it"},
	}))
	golden.Equal(t, "testdata/list.txt", b.Bytes())
}
