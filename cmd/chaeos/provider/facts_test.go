package provider

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/stretchr/testify/require"
)

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
	h := machine.Host{Proc: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(h.Proc, "meminfo"), []byte("MemTotal: 9 kB\nMemAvailable:    1572864 kB\n"), 0o644))
	f := memoryFact(h)
	require.False(t, f.OK)
	require.Equal(t, "1.5 GiB available, a run takes about 1.9 GiB", f.Found)
	require.True(t, memoryFact(machine.Host{Proc: "/nowhere"}).Optional)
}

func TestOpenFiles(t *testing.T) {
	require.True(t, openFiles(4096).OK)
	require.False(t, openFiles(4095).OK)
	require.Equal(t, "at most unlimited, a run takes 4096", openFiles(math.MaxUint64).Found)
}

func TestEitherProviderIsEnough(t *testing.T) {
	both := []Kind{localKind(), containersKind()}
	good, bad := Fact{Name: "good", OK: true, Found: "x"}, Fact{Name: "engine", Found: "none", Mend: "make engine"}
	for _, c := range []struct {
		name                      string
		common, local, containers Fact
		enough                    bool
		can                       []bool
	}{
		{"both", good, good, good, true, []bool{true, true}},
		{"local only", good, good, bad, true, []bool{true, false}},
		{"containers only", good, bad, good, true, []bool{false, true}},
		{"neither", good, bad, bad, false, []bool{false, false}},
		{"no memory", bad, good, good, false, []bool{false, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := summed([]Fact{c.common}, both, [][]Fact{{c.local}, {c.containers}})
			require.Equal(t, c.enough, lacks(all) == nil)
			for i, want := range c.can {
				require.Equal(t, want, all[3+i].OK, all[3+i].Name)
			}
			if !all[4].OK {
				require.Equal(t, "lacks engine", all[4].Found)
				require.Equal(t, "make engine", all[4].Mend, "the command that fixes it")
			}
		})
	}
}

func TestMachineFactsOfThisMachine(t *testing.T) {
	names := map[string]bool{}
	for _, f := range Facts(t.Context(), All(), Machine{Cache: t.TempDir(), Kafka: "4.3.1", Binary: os.Args[0]}) {
		require.False(t, names[f.Name])
		names[f.Name] = true
		require.NotEmpty(t, f.Found)
	}
	for _, p := range All() {
		require.True(t, names["clusters: "+p.name])
	}
}
