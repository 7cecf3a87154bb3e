package local

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"

	"github.com/chaeos/chaeos/clusters/kafkaconf"
	"github.com/chaeos/chaeos/clusters/scratch"
)

// DefaultKafka is the Kafka version that is run if none is named.
const DefaultKafka = kafkaconf.DefaultVersion

// fetchWithin bounds one run of Maven: 54 MB come in seconds, a registry that doesn't answer takes minutes.
const fetchWithin = 5 * time.Minute

//go:embed files/pom.xml
var pomText string

var pomTemplate = template.Must(template.New("pom.xml").Parse(pomText))

// findJars returns the jars of one Kafka version, sorted, and the version: from home's libs folder if home is set, else
// from the cache, which is filled with Maven.
func (p *Provider) findJars(ctx context.Context, version, home string, progress func(string)) ([]string, string, error) {
	if home != "" {
		return jarsOfHome(home)
	}
	if version == "" {
		version = DefaultKafka
	}
	if err := kafkaconf.CheckVersion(version); err != nil {
		return nil, "", err
	}
	libs, err := cached(ctx, filepath.Join(p.cacheDir, "kafka-"+version, "libs"), func(tmp string) error {
		progress("fetching Kafka " + version)
		if err := fetch(ctx, version, tmp); err != nil {
			return err
		}
		return checkFetched(version, tmp)
	})
	if err == nil {
		err = checkCached(version, libs)
	}
	if err != nil {
		return nil, "", err
	}
	jars, err := filepath.Glob(filepath.Join(libs, "*.jar"))
	return jars, version, err
}

var coreJar = regexp.MustCompile(`^kafka_2\.\d+-(.+)\.jar$`)

func jarsOfHome(home string) ([]string, string, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return nil, "", err
	}
	jars, err := filepath.Glob(filepath.Join(home, "libs", "*.jar"))
	if err != nil {
		return nil, "", err
	}
	for _, jar := range jars {
		if m := coreJar.FindStringSubmatch(filepath.Base(jar)); m != nil {
			return jars, m[1], kafkaconf.CheckVersion(m[1])
		}
	}
	return nil, "", fmt.Errorf("%s is no Kafka directory: its libs folder has no kafka_2.13-….jar", home)
}

// fetch copies the jars of one version into dir with Maven.
func fetch(ctx context.Context, version, dir string) error {
	mvn, err := findMaven()
	if err != nil {
		return err
	}
	work, err := scratch.Make(ctx, scratch.Root(), "pom")
	if err != nil {
		return err
	}
	defer func() { _ = work.Remove(context.WithoutCancel(ctx)) }()
	pom := filepath.Join(work.Path, "pom.xml")
	if err := writePom(pom, version); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fetchWithin, fmt.Errorf("no end of Maven within %s", fetchWithin))
	defer cancel()
	out, err := run(ctx, exec.Command(mvn, "-q", "-B", "--strict-checksums", "-f", pom, "dependency:copy-dependencies", "-DoutputDirectory="+dir))
	if err != nil {
		return fetchError(version, out, err)
	}
	return nil
}

func writePom(path, version string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return pomTemplate.Execute(file, struct{ Kafka string }{version})
}

var (
	artefactForm = regexp.MustCompile(`([\w.-]+):([\w.-]+):(?:jar|pom|maven-plugin):([\w.-]+)`)
	colours      = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	urls         = regexp.MustCompile(`\(?https?://([^/:)\s]+)[^)\s]*\)?`)
)

// fetchError finds in Maven's output the artefact in question, and what is wrong with it.
func fetchError(version, out string, err error) *FetchError {
	e := &FetchError{Version: version, Artefact: "org.apache.kafka:kafka_2.13:" + version, Detail: err.Error()}
	for line := range strings.Lines(withoutRegistries(colours.ReplaceAllString(out, ""))) {
		line, isError := strings.CutPrefix(line, "[ERROR]")
		if artefact := artefactIn(line); isError && artefact != "" {
			e.Artefact, e.Detail = artefact, strings.TrimSpace(line)
			break
		}
	}
	// The second message is what Maven prints when it remembers the first.
	absent := strings.Contains(e.Detail, "Could not find artifact") || strings.Contains(e.Detail, "was not found in")
	e.Missing = absent && strings.HasSuffix(e.Artefact, version)
	return e
}

// withoutRegistries removes addresses and the hosts in them: behind a mirror or a proxy they mislead.
func withoutRegistries(out string) string {
	for _, m := range urls.FindAllStringSubmatch(out, -1) {
		out = strings.ReplaceAll(strings.ReplaceAll(out, m[0], ""), m[1], "the registry")
	}
	return out
}

// artefactIn returns the first artefact that a line names, other than our own pom.
func artefactIn(line string) string {
	for _, m := range artefactForm.FindAllStringSubmatch(line, -1) {
		if m[1] != "chaeos" {
			return strings.Join(m[1:], ":")
		}
	}
	return ""
}
