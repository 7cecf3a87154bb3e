package kafkaconf_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/golden"
)

func node() kafkaconf.Node {
	return kafkaconf.Node{
		ID: 2, DataDir: "/data/2",
		Client:      kafkaconf.Address{Bind: "127.0.2.2:20003", Advertise: "127.0.0.1:20005"},
		Replication: kafkaconf.Address{Bind: "127.0.2.2:20001", Advertise: "kafka-2.internal:20001"},
		Controller:  kafkaconf.Address{Bind: "127.0.2.2:20002", Advertise: "kafka-2.internal:20002"},
		Voters:      map[int]string{3: "kafka-3.internal:20002", 1: "kafka-1.internal:20002", 2: "kafka-2.internal:20002"},
	}
}

func TestRenderGolden(t *testing.T) {
	broker, controller := node(), node()
	broker.Role, broker.Rack, controller.Role = kafkaconf.BrokerOnly, "a", kafkaconf.ControllerOnly
	for file, n := range map[string]kafkaconf.Node{"node2": node(), "broker": broker, "controller": controller} {
		golden.Equal(t, "testdata/"+file+".properties", kafkaconf.Render(n, nil))
	}
}

func TestRoles(t *testing.T) {
	require.Equal(t, kafkaconf.Combined, kafkaconf.RoleIn(harness.Topology{}, 3))
	separate := harness.Topology{Controllers: 1}
	require.Equal(t, kafkaconf.BrokerOnly, kafkaconf.RoleIn(separate, 3))
	require.Equal(t, kafkaconf.ControllerOnly, kafkaconf.RoleIn(separate, 4))
}

func TestOverridesWin(t *testing.T) {
	got := kafkaconf.Render(node(), map[string]string{
		"min.insync.replicas": "1", "log.dirs": `C:\kafka`, "log.retention.ms": "", "replica.lag.time.max.ms": "5000",
	})
	require.Contains(t, got, "\nmin.insync.replicas=1\n")
	require.Contains(t, got, "\nreplica.lag.time.max.ms=5000\n")
	require.Contains(t, got, `log.dirs=C:\\kafka`+"\n")
	require.NotContains(t, got, "log.retention.ms", "an empty value gives Kafka's default")
}
