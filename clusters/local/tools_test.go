package local

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/clusters/scratch"
	"github.com/chaeos/chaeos/harness"
)

// fakeTool puts a program of that name on a path with nothing else but the shell.
func fakeTool(t *testing.T, name, script string) {
	t.Helper()
	dir := os.Getenv("PATH")
	if filepath.Base(dir) != "tools" {
		dir = filepath.Join(t.TempDir(), "tools")
		require.NoError(t, os.Mkdir(dir, 0o755))
		t.Setenv("PATH", dir)
		t.Setenv("JAVA_HOME", "")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

const goodJava = `echo 'openjdk version "21.0.2" 2024-01-16' >&2`

func startError(t *testing.T, spec harness.ClusterSpec) error {
	t.Helper()
	spec.LogDir = t.TempDir()
	_, err := New(t.TempDir(), []string{"never-run"}).Start(within(t, 30*time.Second), spec)
	require.Error(t, err)
	return err
}

func TestNoJava(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	var missing *MissingToolError
	err := startError(t, harness.ClusterSpec{})
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "apt-get install openjdk-17-jdk-headless")
}

func TestOldJava(t *testing.T) {
	fakeTool(t, "java", `echo 'java version "1.8.0_402"' >&2`)
	err := startError(t, harness.ClusterSpec{})
	require.ErrorContains(t, err, "is version 1.8.0_402")
	require.ErrorContains(t, err, "apt-get install openjdk-17-jdk-headless")
}

func TestMajor(t *testing.T) {
	for version, want := range map[string]int{"17.0.15": 17, "1.8.0_402": 8, "21": 21, "26-ea": 26, "": 0} {
		require.Equal(t, want, JavaMajor(version), version)
	}
}

func TestNoMaven(t *testing.T) {
	fakeTool(t, "java", goodJava)
	err := startError(t, harness.ClusterSpec{})
	require.ErrorContains(t, err, "apt-get install maven")
	require.ErrorContains(t, err, "--kafka-home")
}

func TestUnknownVersion(t *testing.T) {
	fakeTool(t, "java", goodJava)
	fakeTool(t, "mvn", `echo '[ERROR] Failed to execute goal on project jars: Could not resolve dependencies for project chaeos:jars:pom:1: `+
		`The following artifacts could not be resolved: org.apache.kafka:kafka_2.13:jar:9.9.9, org.apache.kafka:kafka-tools:jar:9.9.9: `+
		`Could not find artifact org.apache.kafka:kafka_2.13:jar:9.9.9 in central (https://registry.example/maven2) -> [Help 1]'; exit 1`)
	err := startError(t, harness.ClusterSpec{Kafka: "9.9.9"})
	var fetch *FetchError
	require.ErrorAs(t, err, &fetch)
	require.True(t, fetch.Missing)
	require.EqualError(t, err, "Kafka 9.9.9: there is no artefact org.apache.kafka:kafka_2.13:9.9.9 "+
		"(is the version right? a Kafka directory can be given with --kafka-home)")
}

func TestUnknownVersionAskedForAgain(t *testing.T) {
	out := "[ERROR] Failed: org.apache.kafka:kafka_2.13:jar:9.9.9 was not found in https://registry.example/maven2 during a previous attempt"
	e := fetchError("9.9.9", out, os.ErrInvalid)
	require.True(t, e.Missing)
	require.NotContains(t, e.Detail, "registry.example")
}

func TestRegistryOutOfReach(t *testing.T) {
	fakeTool(t, "java", goodJava)
	fakeTool(t, "mvn", `echo '[ERROR] Could not transfer artifact org.scala-lang:scala-library:jar:2.13.18 from/to central `+
		`(https://registry.example/maven2): Connect to registry.example:443 timed out'; exit 1`)
	err := startError(t, harness.ClusterSpec{})
	var fetch *FetchError
	require.ErrorAs(t, err, &fetch)
	require.False(t, fetch.Missing)
	require.Equal(t, "org.scala-lang:scala-library:2.13.18", fetch.Artefact)
	require.ErrorContains(t, err, "try again, or give a Kafka directory with --kafka-home")
	require.NotContains(t, err.Error(), "registry.example")
}

func TestMalformedVersionRunsNothing(t *testing.T) {
	fakeTool(t, "java", goodJava)
	require.ErrorContains(t, startError(t, harness.ClusterSpec{Kafka: "latest"}), `"latest" is not a Kafka version`)
}

func TestKafkaHome(t *testing.T) {
	home := t.TempDir()
	_, _, err := New(t.TempDir(), nil).findJars(t.Context(), "", home, nil)
	require.ErrorContains(t, err, "is no Kafka directory")
	require.NoError(t, os.Mkdir(filepath.Join(home, "libs"), 0o755))
	jar := filepath.Join(home, "libs", "kafka_2.13-4.1.0.jar")
	require.NoError(t, os.WriteFile(jar, nil, 0o644))
	jars, version, err := New(t.TempDir(), nil).findJars(t.Context(), "", home, nil)
	require.NoError(t, err)
	require.Equal(t, []string{jar}, jars)
	require.Equal(t, "4.1.0", version)
}

func TestSilentJava(t *testing.T) {
	fakeTool(t, "java", "while :; do :; done")
	path, err := JavaPath()
	require.NoError(t, err)
	_, err = askJava(t.Context(), path, 50*time.Millisecond)
	require.EqualError(t, err, path+" -version: no answer within 50ms")
}

func TestTooOldVersionRunsNothing(t *testing.T) {
	fakeTool(t, "java", goodJava)
	require.EqualError(t, startError(t, harness.ClusterSpec{Kafka: "2.8.0"}), "version 2.8.0 of Kafka is too old: 3.9.0 and newer are supported")
}

// fetches is a Maven that finds one jar of a version. The tools folder has no other program than these.
func fetches(version string) string {
	return `for a in "$@"; do case "$a" in -DoutputDirectory=*) d="${a#-DoutputDirectory=}";; --strict-checksums) strict=yes;; esac; done
[ "$strict" = yes ] || exit 1
/bin/mkdir -p "$d"; echo sound >"$d/kafka_2.13-` + version + `.jar"`
}

// TestChangedJarsAreNotRun: what Maven fetched of the default version must be what was released, and of any version what it
// was when it was fetched.
func TestChangedJarsAreNotRun(t *testing.T) {
	fakeTool(t, "java", goodJava)
	fakeTool(t, "mvn", fetches(DefaultKafka))
	cache := t.TempDir()
	find := func(version string) error {
		_, _, err := New(cache, nil).findJars(t.Context(), version, "", func(string) {})
		return err
	}
	require.ErrorContains(t, find(""), "is not what it was released as")
	require.NoDirExists(t, filepath.Join(cache, "kafka-"+DefaultKafka), "nothing of it is kept")

	fakeTool(t, "mvn", fetches("9.9.9"))
	require.NoError(t, find("9.9.9"))
	fakeTool(t, "mvn", "exit 1") // not asked again
	require.NoError(t, find("9.9.9"))
	jar := filepath.Join(cache, "kafka-9.9.9", "libs", "kafka_2.13-9.9.9.jar")
	require.NoError(t, os.WriteFile(jar, []byte("changed"), 0o644))
	require.ErrorContains(t, find("9.9.9"), "damaged or missing, by their SHA-256: kafka_2.13-9.9.9.jar in "+filepath.Dir(jar))
	require.NoError(t, os.Remove(jar))
	require.ErrorContains(t, find("9.9.9"), "kafka_2.13-9.9.9.jar")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(jar), "added.jar"), nil, 0o644))
	require.ErrorContains(t, find("9.9.9"), "added.jar")
	require.ErrorContains(t, find("8.8.8"), "could not fetch")
	require.NoDirExists(t, filepath.Join(cache, "kafka-8.8.8"), "a failed fetch leaves no folder")
}

func TestCacheOfOthers(t *testing.T) {
	fakeTool(t, "java", goodJava)
	cache := t.TempDir()
	require.NoError(t, os.Chmod(cache, 0o777))
	_, err := New(cache, []string{"never-run"}).Start(within(t, 30*time.Second), harness.ClusterSpec{LogDir: t.TempDir()})
	require.ErrorContains(t, err, "others may write into "+cache)
	require.ErrorContains(t, err, "CHAEOS_CACHE")
}

func TestRecordOfAnotherFolder(t *testing.T) {
	state, mine := t.TempDir(), t.TempDir()
	kept := filepath.Join(mine, "kept")
	require.NoError(t, os.WriteFile(kept, nil, 0o644))
	for _, dir := range []string{mine, "", "/", filepath.Join(scratch.Root(), "other"), filepath.Join(scratch.Root(), "cluster-1", "..")} {
		require.NoError(t, saveState(state, description{Info: harness.ClusterInfo{DataDir: dir}}))
		_, err := Attach(t.Context(), state)
		require.ErrorContains(t, err, "is not the folder of a cluster", dir)
	}
	require.FileExists(t, kept)
}

func TestRecordCutShort(t *testing.T) {
	state := t.TempDir()
	require.NoError(t, os.WriteFile(stateFile(state), []byte(`{"info":`), 0o600))
	_, err := Attach(t.Context(), state)
	require.ErrorIs(t, err, harness.ErrStale)
	require.ErrorContains(t, err, "can't be read")
	_, err = Attach(t.Context(), state)
	require.ErrorIs(t, err, harness.ErrNoCluster, "it is not in the way any more")
}

func TestPomNamesTheVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pom.xml")
	require.NoError(t, writePom(path, "4.0.0"))
	pom, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(pom), "<artifactId>kafka_2.13</artifactId>\n      <version>4.0.0</version>")
	require.Contains(t, string(pom), "<artifactId>kafka-tools</artifactId>\n      <version>4.0.0</version>")
	require.NotContains(t, string(pom), "{{")
}

func TestCachedFillsOnceAndNeverHalf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "thing")
	fills := 0
	half := func(tmp string) error {
		fills++
		require.NoError(t, os.WriteFile(tmp, nil, 0o644))
		return os.ErrDeadlineExceeded
	}
	_, err := cached(t.Context(), path, half)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoFileExists(t, path)
	whole := func(tmp string) error { fills++; return os.WriteFile(tmp, nil, 0o644) }
	for range 2 {
		_, err = cached(t.Context(), path, whole)
		require.NoError(t, err)
	}
	require.Equal(t, 2, fills)
}
