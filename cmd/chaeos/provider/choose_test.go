package provider

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
)

func TestNamedProviders(t *testing.T) {
	for _, name := range Names(All())[1:] {
		chosen, err := Choose(t.Context(), All(), Request{Provider: name}, []string{"chaeos"})
		require.NoError(t, err)
		require.Equal(t, name, chosen.Provider.Name())
		require.Empty(t, chosen.why, "who named it knows why")
	}
	_, err := Choose(t.Context(), All(), Request{Provider: "loacl"}, nil)
	require.ErrorAs(t, err, &harness.UsageError{})
}

// pathWithJava puts a java of that version on a path of its own, or none.
func pathWithJava(t *testing.T, version string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("JAVA_HOME", "")
	if version != "" {
		text := "#!/bin/sh\necho 'openjdk version \"" + version + "\"' >&2\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "java"), []byte(text), 0o755))
	}
}

func TestAutoSaysWhichAndWhy(t *testing.T) {
	nowhere := "unix://" + filepath.Join(t.TempDir(), "no.sock")
	auto := Request{Provider: Auto}
	t.Run("local where there is Java", func(t *testing.T) {
		pathWithJava(t, "21.0.2")
		chosen, err := Choose(t.Context(), All(), auto, []string{"chaeos"})
		require.NoError(t, err)
		require.Equal(t, "local", chosen.Provider.Name())
		var noted string
		chosen.Announce(func(text string) { noted = text })
		require.Equal(t, "cluster auto: took local (Java 21.0.2 is on this machine)", noted)
	})
	t.Run("containers where an image is named", func(t *testing.T) {
		pathWithJava(t, "21.0.2")
		chosen, err := Choose(t.Context(), All(), Request{Provider: Auto, Image: "own/kafka"}, []string{"chaeos"})
		require.NoError(t, err)
		require.Equal(t, "containers", chosen.Provider.Name())
		require.Contains(t, chosen.why, "--image")
	})
	t.Run("containers where there is only an engine", func(t *testing.T) {
		pathWithJava(t, "1.8.0")
		t.Setenv("DOCKER_HOST", fakeEngine(t))
		chosen, err := Choose(t.Context(), All(), auto, []string{"chaeos"})
		require.NoError(t, err)
		require.Equal(t, "containers", chosen.Provider.Name())
		require.Contains(t, chosen.why, "there is no Java runtime, and the container engine 99.1 answers")
	})
	t.Run("neither", func(t *testing.T) {
		pathWithJava(t, "")
		t.Setenv("DOCKER_HOST", nowhere)
		both := []Kind{localKind(), containersKind()}
		_, err := Choose(t.Context(), both, auto, []string{"chaeos"})
		require.ErrorContains(t, err, "apt-get install openjdk-17-jdk-headless")
		require.ErrorContains(t, err, nowhere+": connect: no such file or directory")
	})
}

// fakeEngine answers as much as it takes to be found.
func fakeEngine(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine-") // a socket's path must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "d.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Api-Version", "1.44")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ServerVersion": "99.1", "MemTotal": 1}`))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "unix://" + socket
}
