package containers

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHidden: a process that /proc doesn't show is dead only if no signal can go to it.
func TestHidden(t *testing.T) {
	require.ErrorContains(t, hidden(strconv.Itoa(os.Getpid())), "can't be seen from here")
	ended := exec.Command("true")
	require.NoError(t, ended.Run())
	require.NoError(t, hidden(strconv.Itoa(ended.Process.Pid)))
	require.Error(t, hidden("-1"))
	require.Error(t, hidden("x"))
}
