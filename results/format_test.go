package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness/golden"
	_ "github.com/chaeos/chaeos/verifiers/checks" // declares the numbers
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                         "0ms",
		40 * time.Microsecond:     "<0.1ms",
		9400 * time.Microsecond:   "9.4ms",
		12 * time.Millisecond:     "12ms",
		999499 * time.Microsecond: "999ms",
		999500 * time.Microsecond: "1.0s",
		9300 * time.Millisecond:   "9.3s",
		59949 * time.Millisecond:  "59.9s",
		59950 * time.Millisecond:  "1m00s",
		91 * time.Second:          "1m31s",
		3599 * time.Second:        "59m59s",
		time.Hour - 1:             "1h00m",
		125 * time.Minute:         "2h05m",
		-12 * time.Millisecond:    "-12ms",
	} {
		require.Equal(t, want, duration(d), "%d ns", d)
	}
}

func TestFormatKeepsMissingApartFromZero(t *testing.T) {
	require.Equal(t, "–", format(nil))
	require.Equal(t, "0", format(uint64(0)))
}

func TestAnchor(t *testing.T) {
	require.Equal(t, "lso-stalls", anchor("lsoStalls"))
	require.Equal(t, "lost", anchor("lost"))
}

func TestEveryColumnIsDefined(t *testing.T) {
	if golden.Updating() {
		t.Skip("the page is being written, by the tests of cmd/chaeos")
	}
	page, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(Numbers)))
	require.NoError(t, err)
	defined := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			defined[strings.ReplaceAll(strings.ToLower(heading), " ", "-")] = true
		}
	}
	for _, c := range Columns() {
		require.True(t, defined[c.Anchor], "%s has no heading for %s", Numbers, c.Anchor)
	}
}
