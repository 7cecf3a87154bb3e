package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// DigestFile is the name of the digest in a run's folder.
const DigestFile = "digest.json"

// mostDigest bounds what is read of a digest, in bytes.
const mostDigest = 16 << 20

// Digest is what a run left in its folder to be judged: it tells a run that was edited since from one that was saved.
type Digest struct {
	Version int          `json:"version"`
	Files   []DigestLine `json:"files"`
}

// DigestLine is one file: its path in the folder, its size in bytes, and its SHA-256.
type DigestLine struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// WriteDigest writes the digest of a run's folder into it: of its record, its histories, and all that was read back. What
// later commands write there (evidence, pages, exports) is not in it.
func WriteDigest(dir string) error {
	d := Digest{Version: 1}
	for _, part := range []string{RecordFile, "history", "readback"} {
		err := filepath.WalkDir(filepath.Join(dir, part), func(path string, x fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a run that did not come so far
			}
			if err != nil || !judged(part, path, x) {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			line, err := digestOf(dir, filepath.ToSlash(rel))
			d.Files = append(d.Files, line)
			return err
		})
		if err != nil {
			return fmt.Errorf("digest: %w", err)
		}
	}
	return WriteJSON(filepath.Join(dir, DigestFile), d)
}

// judged reports whether a file is one that verdicts rest on; processes keep their own logs next to their histories.
func judged(part, path string, x fs.DirEntry) bool {
	return x.Type().IsRegular() && (part != "history" || strings.HasSuffix(path, ".hist"))
}

// CheckDigest lists, in words, what is not as the run left it. A folder without a digest gives none, unless its record claims
// one.
func CheckDigest(dir string, record *RunRecord) ([]string, error) {
	path := filepath.Join(dir, DigestFile)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !record.Digested:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return []string{"the folder has lost its " + DigestFile}, nil
	case err != nil:
		return nil, fmt.Errorf("digest: %w", err)
	case !info.Mode().IsRegular() || info.Size() > mostDigest:
		return []string{DigestFile + " is no digest that a run wrote"}, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("digest: %w", err)
	}
	var d Digest
	if json.Unmarshal(data, &d) != nil || d.Version != 1 {
		return []string{DigestFile + " can't be read"}, nil
	}
	return d.changed(dir), nil
}

func (d *Digest) changed(dir string) (all []string) {
	if !slices.ContainsFunc(d.Files, func(l DigestLine) bool { return l.File == RecordFile }) {
		all = append(all, DigestFile+" lacks "+RecordFile)
	}
	for _, was := range d.Files {
		if !filepath.IsLocal(was.File) {
			all = append(all, fmt.Sprintf("%s names %q, which is outside the folder", DigestFile, was.File))
			continue
		}
		switch is, err := digestOf(dir, was.File); {
		case errors.Is(err, fs.ErrNotExist):
			all = append(all, was.File+" is missing; the run left it")
		case err != nil:
			all = append(all, fmt.Sprintf("%s can't be compared with its digest: %v", was.File, err))
		case is != was:
			all = append(all, was.File+" was changed since the run left it")
		}
	}
	return all
}

// digestOf reads one file, no further than its size when it was opened.
func digestOf(dir, file string) (DigestLine, error) {
	path := filepath.Join(dir, filepath.FromSlash(file))
	info, err := os.Lstat(path)
	if err != nil {
		return DigestLine{}, err
	}
	if !info.Mode().IsRegular() {
		return DigestLine{}, fmt.Errorf("%s is not a regular file", file)
	}
	f, err := os.Open(path)
	if err != nil {
		return DigestLine{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, info.Size()))
	return DigestLine{File: file, Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}
