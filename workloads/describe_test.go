package workloads

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/workloads/properties"
)

// TestEveryPipelineDescribesItself: its clients are the ones it really makes, and it says when it breaks, at which cost.
func TestEveryPipelineDescribesItself(t *testing.T) {
	for _, info := range Infos() {
		d, err := Describe(info.Name)
		require.NoError(t, err, info.Name)
		require.NotEmpty(t, d.BreaksWhen, info.Name)
		require.NotEmpty(t, d.Cost, info.Name)
		require.NotEmpty(t, d.Settings, info.Name)
		for _, phase := range info.Phases {
			require.Contains(t, d.Loop, "-- "+phase+" --", info.Name)

		}
	}
	_, err := Describe("exactly-twice")
	require.Error(t, err)
}

func TestConfigurationIsReadOffTheClients(t *testing.T) {
	for name, want := range map[string]map[string]properties.Setting{
		"acks0":              {"acks": {Value: "0", Default: "all"}, "retries": {Value: "0", Default: "no limit"}, "enable.idempotence": {Value: "false", Default: "true"}},
		"acks-all-pipelined": {"max.in.flight.requests.per.connection": {Value: "5", Default: "the client's choice (at most 5)"}},
		"auto-commit-greedy": {"auto.commit.interval.ms": {Value: "1000, what is in hand included", Default: "5000"}},
		"idempotent":         {"enable.auto.commit": {Value: "false", Default: "true"}, "acks": {Value: "all"}},
		"slow-transaction":   {"transaction.timeout.ms": {Value: "60000", Default: "40000"}, "isolation.level": {Value: "read_committed", Default: "read_uncommitted"}},
	} {
		d, err := Describe(name)
		require.NoError(t, err)
		for property, setting := range want {
			setting.Name = property
			require.Contains(t, d.Settings, setting, name)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	require.NoError(t, CheckOptions("idempotent", map[string]string{"group-protocol": "consumer", "static-membership": "true"}))
	require.NoError(t, CheckOptions("slow-outside", map[string]string{"call": "20s"}))
	require.NoError(t, CheckOptions("aborting", map[string]string{"share": "0.5"}))
	for want, bad := range map[string][3]string{
		`pipeline acks1 has no option "call" (it has none)`: {"acks1", "call", "1s"},
		"group-protocol must be one of classic, consumer":   {"idempotent", "group-protocol", "next"},
		"call must be a duration":                           {"slow-outside", "call", "long"},
		"share must be a share from 0 to 1":                 {"aborting", "share", "2"},
	} {
		require.ErrorContains(t, CheckOptions(bad[0], map[string]string{bad[1]: bad[2]}), want)
	}
}
