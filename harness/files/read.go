package files

import (
	"fmt"
	"os"
)

// ReadBounded reads a regular file of at most this many bytes, and refuses devices, pipes and folders.
func ReadBounded(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file: use a folder as chaeos run left it", path)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, %d is the most that is read", path, info.Size(), most)
	}
	return os.ReadFile(path)
}
