package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// makeRunDir makes a new folder, with a number behind its name if two runs start in one second.
func makeRunDir(out, base string) (string, error) {
	for n := 1; n < 100; n++ {
		dir := filepath.Join(out, base)
		if n > 1 {
			dir += fmt.Sprintf(".%d", n)
		}
		err := os.MkdirAll(out, 0o755)
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err == nil {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return "", fmt.Errorf("run folder: %w", err)
			}
			return abs, os.Mkdir(filepath.Join(abs, "history"), 0o755)
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("run folder: %w (choose another place with --out)", err)
		}
	}
	return "", fmt.Errorf("run folder %s: a hundred runs of this second are there already", base)
}
