package local

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestEveryLinkHasAnAddressOfItsOwn(t *testing.T) {
	l := layout{base: firstPort, topology: harness.Topology{Brokers: harness.MostBrokers, Controllers: 5}}
	require.Less(t, sharedPort+harness.MostBrokers, blockSize)
	all := append(l.fixed(), l.api())
	for index := range 300 {
		for _, n := range l.topology.BrokerIDs() {
			all = append(all, l.named(index, n))
		}
	}
	seen := map[string]bool{}
	for _, address := range all {
		require.False(t, seen[address], address)
		seen[address] = true
		_, err := net.ResolveTCPAddr("tcp", address)
		require.NoError(t, err)
	}
}

func TestNodeFindsPeersThroughProxiesAndItselfDirectly(t *testing.T) {
	require.Contains(t, layout{}.hostsFile(2, false), "127.0.2.1 kafka-1.internal\n127.0.2.2 kafka-2.internal\n127.0.2.3 kafka-3.internal\n")
	require.Contains(t, layout{}.hostsFile(2, true), "127.0.1.1 kafka-1.internal\n127.0.2.2 kafka-2.internal\n127.0.3.3 kafka-3.internal\n")
	node := layout{base: firstPort}.node(2, "/data")
	require.True(t, strings.HasPrefix(node.Replication.Bind, "127.0.2.2:"))
	require.True(t, strings.HasPrefix(node.Replication.Advertise, "kafka-2.internal:"))
}

func TestReservedBlocksDiffer(t *testing.T) {
	seen := map[int]bool{}
	for range 20 {
		l, listener, err := reserve(harness.Topology{})
		require.NoError(t, err)
		defer listener.Close()
		require.False(t, seen[l.base], "block %d was given twice", l.base)
		require.Less(t, l.base+blockSize, 32768, "below the ephemeral range")
		seen[l.base] = true
	}
}

func TestTakenAddressFailsTheProbe(t *testing.T) {
	l, listener, err := reserve(harness.Topology{})
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, probe(l.fixed()))
	taken, err := net.Listen("tcp", l.at(host(1, 3), quorumPort))
	require.NoError(t, err)
	defer taken.Close()
	require.ErrorContains(t, probe(l.fixed()), "is taken")
}

func TestIDsNeverLookLikeFlags(t *testing.T) {
	for range 1000 {
		id := newID()
		require.Len(t, id, 22)
		require.NotEqual(t, byte('-'), id[0])
	}
}
