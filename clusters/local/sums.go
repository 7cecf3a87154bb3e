package local

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/harness/together"
)

// Jars run as this user, so each start compares them with what they were: those of the default version with sums that are part
// of this program, others with the sums that were noted when Maven had fetched them (by the registry's own sums).

// sumsName is the file next to cached jars that holds their sums, in the form of sha256sum.
const sumsName = "SHA256SUMS"

//go:embed files/kafka-*.sha256
var pinnedSums embed.FS

// sums are SHA-256 sums by file name.
type sums map[string]string

// pinned are the sums of a version's jars that this program knows, nil if it knows none.
func pinned(version string) sums {
	text, err := pinnedSums.ReadFile("files/kafka-" + version + ".sha256")
	if err != nil {
		return nil
	}
	return parseSums(text)
}

func parseSums(text []byte) sums {
	all := sums{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 {
			all[f[1]] = f[0]
		}
	}
	return all
}

// sumJars sums the jars of a folder.
func sumJars(dir string) (sums, error) {
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil {
		return nil, err
	}
	found := make([]string, len(jars))
	err = together.AtMost(runtime.GOMAXPROCS(0), len(jars), func(i int) (err error) {
		found[i], err = sumFile(jars[i])
		return err
	})
	all := sums{}
	for i, jar := range jars {
		all[filepath.Base(jar)] = found[i]
	}
	return all, err
}

func sumFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// differences lists, sorted, the files in which two sets of jars differ.
func differences(have, want sums) (all []string) {
	for name, sum := range have {
		if want[name] != sum {
			all = append(all, name)
		}
	}
	for name := range want {
		if _, there := have[name]; !there {
			all = append(all, name)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

// checkFetched compares jars that Maven has just fetched with the pinned sums of their version, and notes their sums.
func checkFetched(version, dir string) error {
	have, err := sumJars(dir)
	if err != nil {
		return err
	}
	if want := pinned(version); want != nil {
		if other := differences(have, want); len(other) > 0 {
			return fmt.Errorf("what Maven fetched of Kafka %s is not what it was released as: the SHA-256 of %s is another. Nothing of it was kept. "+
				"A mirror or proxy may serve it, or Maven's own repository may hold it damaged (~/.m2/repository)", version, someOf(other))
		}
	}
	return os.WriteFile(filepath.Join(dir, sumsName), have.text(), 0o644)
}

func (s sums) text() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[name], name)
	}
	return b.Bytes()
}

// checkCached compares cached jars with their sums. Those of older caches have none, unless they are pinned: they are noted now.
func checkCached(version, dir string) error {
	have, err := sumJars(dir)
	if err != nil {
		return fmt.Errorf("the cached jars of Kafka %s: %w", version, err)
	}
	want := pinned(version)
	if want == nil {
		text, err := os.ReadFile(filepath.Join(dir, sumsName))
		if os.IsNotExist(err) {
			return os.WriteFile(filepath.Join(dir, sumsName), have.text(), 0o644)
		}
		if err != nil {
			return err
		}
		want = parseSums(text)
	}
	if other := differences(have, want); len(other) > 0 {
		return fmt.Errorf("cached jars of Kafka %s are damaged or missing, by their SHA-256: %s in %s (remove that folder and run again, to fetch them)",
			version, someOf(other), dir)
	}
	return nil
}

// someOf names the first files of a list.
func someOf(names []string) string {
	const few = 3
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d others", strings.Join(names[:few], ", "), len(names)-few)
}
