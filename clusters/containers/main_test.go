package containers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// binary is the command, linked statically: the proxy image is made of it.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "chaeos-containers-")
	if err == nil {
		binary = filepath.Join(dir, "chaeos")
		build := exec.Command("go", "build", "-o", binary, "github.com/chaeos/chaeos/cmd/chaeos")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		var out []byte
		if out, err = build.CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "build the command:", err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func cacheDir() string {
	if dir := os.Getenv("CHAEOS_CACHE"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "chaeos")
}

func testProvider() *Provider { return New(cacheDir(), binary) }

func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
