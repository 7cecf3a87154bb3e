package main

import (
	"context"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/cmd/chaeos/provider"
	"github.com/chaeos/chaeos/harness/golden"
)

func healthy() []provider.Fact {
	return []provider.Fact{
		{Name: "system", OK: true, Found: "linux/amd64, 2 CPUs"},
		{Name: "java", OK: true, Found: "17.0.15", Mend: local.InstallJava},
		{Name: "maven", Optional: true, Found: "none found: it fetches Kafka's jars", Mend: local.InstallMaven},
	}
}

func TestDoctorOfASickMachine(t *testing.T) {
	b := newBench(t)
	b.parts.facts = func(context.Context) []provider.Fact {
		return append(healthy(),
			provider.Fact{Name: "open files", Found: "at most 1024, a run takes 4096", Mend: "ulimit -Hn 65536"},
			provider.Fact{Name: "java", Found: "11.0.2 (17 or newer is needed)", Mend: local.InstallJava},
			provider.Fact{Name: "maven", Found: "none found: it fetches Kafka's jars", Mend: local.InstallMaven})
	}
	require.Equal(t, exitInfrastructure, b.do("doctor"))
	golden.Equal(t, "testdata/doctor-sick.txt", b.out.String())
	require.Empty(t, b.err.String())
}

func TestDescribeVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	require.Regexp(t, `^0123456789ab \(go1\.26 \w+/\w+, changed since\)$`, describe(info))
	require.Regexp(t, `^v1\.2\.3 \(go1\.26 \w+/\w+\)$`, describe(&debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}}))
	require.NotEmpty(t, version())
}
