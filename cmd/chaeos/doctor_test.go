package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness/golden"
)

func healthy() []fact {
	return []fact{
		{Name: "system", OK: true, Found: "linux/amd64, 2 CPUs"},
		{Name: "java", OK: true, Found: "17.0.15", Mend: local.InstallJava},
		{Name: "maven", Optional: true, Found: "none found: it fetches Kafka's jars", Mend: local.InstallMaven},
	}
}

func TestDoctorOfASickMachine(t *testing.T) {
	b := newBench(t)
	b.parts.facts = func(context.Context) []fact {
		return append(healthy(), openFiles(1024), parseJava(`openjdk version "11.0.2" 2019-01-15`, nil), parseMaven("", errors.New("not found")))
	}
	require.Equal(t, exitInfrastructure, b.do("doctor"))
	golden.Equal(t, "testdata/doctor-sick.txt", b.out.String())
	require.Empty(t, b.err.String())
}

func TestJavaFact(t *testing.T) {
	for out, want := range map[string]struct {
		ok    bool
		found string
	}{
		"openjdk version \"17.0.15\" 2025-04-15\nOpenJDK Runtime": {true, "17.0.15"},
		`java version "21" 2023-09-19 LTS`:                        {true, "21"},
		`openjdk version "25-ea" 2025-09-16`:                      {true, "25-ea"},
		`java version "1.8.0_402"`:                                {false, "1.8.0_402 (17 or newer is needed)"},
		`openjdk version "99999999999999999999"`:                  {true, "99999999999999999999"},
		"no such file":                                            {false, "none found (17 or newer is needed)"},
	} {
		f := parseJava(out, nil)
		require.Equal(t, want.ok, f.OK, out)
		require.Equal(t, want.found, f.Found)
		require.NotEmpty(t, f.Mend)
	}
	require.False(t, parseJava(`java version "21"`, errors.New("exit status 1")).OK)
}

func TestMavenFact(t *testing.T) {
	f := parseMaven("\x1b[1mApache Maven 3.8.7\x1b[m\nMaven home: /usr/share/maven", nil)
	require.True(t, f.OK)
	require.Equal(t, "3.8.7", f.Found)
}

func TestKafkaFact(t *testing.T) {
	cache := t.TempDir()
	require.False(t, kafkaFact(cache).OK)
	for _, v := range []string{"4.3.1", "4.2.0"} {
		require.NoError(t, os.MkdirAll(filepath.Join(cache, "kafka-"+v, "libs"), 0o755))
	}
	require.NoError(t, os.Mkdir(filepath.Join(cache, "kafka-4.1.0"), 0o755), "a fetch that never ended")
	require.Equal(t, "4.2.0, 4.3.1 cached in "+cache, kafkaFact(cache).Found)
}

func TestMemoryFact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "meminfo")
	require.NoError(t, os.WriteFile(path, []byte("MemTotal: 9 kB\nMemAvailable:    1572864 kB\n"), 0o644))
	f := memoryFact(path)
	require.False(t, f.OK)
	require.Equal(t, "1.5 GiB available, a run takes about 1.9 GiB", f.Found)
	require.True(t, memoryFact("/nowhere").Optional)
}

func TestOpenFiles(t *testing.T) {
	require.True(t, openFiles(4096).OK)
	require.False(t, openFiles(4095).OK)
	require.Equal(t, "at most unlimited, a run takes 4096", openFiles(math.MaxUint64).Found)
}

func TestEitherProviderIsEnough(t *testing.T) {
	both := []provider{localProvider(), containersProvider()}
	good, bad := fact{Name: "good", OK: true, Found: "x"}, fact{Name: "engine", Found: "none", Mend: "make engine"}
	for _, c := range []struct {
		name                      string
		common, local, containers fact
		exit                      int
		answers                   []string
	}{
		{"both", good, good, good, exitExpected, []string{"yes", "yes"}},
		{"local only", good, good, bad, exitExpected, []string{"yes", "no, not needed"}},
		{"containers only", good, bad, good, exitExpected, []string{"no, not needed", "yes"}},
		{"neither", good, bad, bad, exitInfrastructure, []string{"no", "no"}},
		{"no memory", bad, good, good, exitInfrastructure, []string{"no, not needed", "no, not needed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			all := summed([]fact{c.common}, both, [][]fact{{c.local}, {c.containers}})
			b.parts.facts = func(context.Context) []fact { return all }
			require.Equal(t, c.exit, b.do("doctor"))
			require.Equal(t, c.answers, []string{all[3].answer(), all[4].answer()})
			if !all[4].OK {
				require.Equal(t, "lacks engine", all[4].Found)
				require.Equal(t, "make engine", all[4].Mend, "the command that fixes it")
			}
		})
	}
}

func TestMachineFactsOfThisMachine(t *testing.T) {
	names := map[string]bool{}
	for _, f := range machineFacts(t.Context(), providers(), machineRequest{cache: t.TempDir(), kafka: "4.3.1"}) {
		require.False(t, names[f.Name])
		names[f.Name] = true
		require.NotEmpty(t, f.Found)
	}
	for _, p := range providers() {
		require.True(t, names["clusters: "+p.name])
	}
}

func TestDescribeVersion(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}}
	require.Regexp(t, `^0123456789ab \(go1\.26 \w+/\w+, changed since\)$`, describe(info))
	require.Regexp(t, `^v1\.2\.3 \(go1\.26 \w+/\w+\)$`, describe(&debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.3"}}))
	require.NotEmpty(t, version())
}
