package catalogue

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse: whatever is in a file, it is an experiment or an *Error with a position.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.yaml", "experiments/*.yaml"} {
		files, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, file := range files {
			source, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(source)
		}
	}
	f.Add([]byte("name:\nload:\nfaults:\n  -\n  - at:\n"))
	f.Add([]byte("a: &a {b: *a}\n<<: *a\n? [x]: y\n"))
	f.Fuzz(func(t *testing.T, source []byte) {
		exp, err := parse("x.yaml", source, pipelines())
		if err == nil {
			_, err := Concrete(exp, 1)
			require.NoError(t, err)
			return
		}
		var bad *Error
		require.True(t, errors.As(err, &bad), "%v", err)
		require.Positive(t, bad.Line)
		require.Positive(t, bad.Column)
	})
}
