package provider

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/harness"
)

// KeeperCommand is the hidden subcommand that runs a cluster's keeper.
const KeeperCommand = "keeper"

// localKind runs Kafka's own jars as processes of this machine.
func localKind() Kind {
	return Kind{
		name: local.Name, runs: "Kafka's jars as processes", abilities: local.Abilities(),
		flag: "kafka-home", taken: "where Java is found", lacking: "there is no Java runtime",
		find: func(ctx context.Context) (string, error) {
			java, err := local.FindJava(ctx)
			return "Java " + java + " is on this machine", err
		},
		new: func(_ Request, self []string) harness.Provider {
			return local.New(local.DefaultCache(), []string{self[0], KeeperCommand})
		},
		attach: func(ctx context.Context) (harness.Cluster, error) { return local.Attach(ctx, local.DefaultState()) },
		prune:  func(ctx context.Context, _ bool) ([]string, error) { return local.Prune(ctx), nil },
		facts: func(ctx context.Context, m Machine) []Fact {
			kafka, maven := kafkaFact(m.Cache), mavenFact(ctx)
			maven.Optional = kafka.OK // what is cached needs no fetching
			return []Fact{javaFact(ctx), maven, kafka}
		},
	}
}

func javaFact(ctx context.Context) Fact {
	path, err := local.JavaPath()
	if err != nil {
		return parseJava("", err)
	}
	return parseJava(firstWords(ctx, path, "-version"))
}

func parseJava(out string, err error) Fact {
	f := Fact{Name: "java", Mend: local.InstallJava}
	version := local.JavaVersion(out)
	major := local.JavaMajor(version)
	if err != nil || major == 0 {
		f.Found = fmt.Sprintf("none found (%d or newer is needed)", local.OldestJava)
		return f
	}
	f.OK, f.Found = major >= local.OldestJava, version
	if !f.OK {
		f.Found += fmt.Sprintf(" (%d or newer is needed)", local.OldestJava)
	}
	return f
}

var mavenVersion = regexp.MustCompile(`Apache Maven (\S+)`)

func mavenFact(ctx context.Context) Fact { return parseMaven(firstWords(ctx, "mvn", "-B", "-v")) }

func parseMaven(out string, err error) Fact {
	f := Fact{Name: "maven", Mend: local.InstallMaven + "   # or give --kafka-home", Found: "none found: it fetches Kafka's jars"}
	if m := mavenVersion.FindStringSubmatch(out); err == nil && m != nil {
		f.OK, f.Found = true, colour.ReplaceAllString(m[1], "")
	}
	return f
}

var colour = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// firstWords runs a program that only prints its version.
func firstWords(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}

// kafkaFact lists the Kafka versions whose jars are there. A run fetches what isn't.
func kafkaFact(cache string) Fact {
	f := Fact{Name: "kafka", Optional: true}
	libs, err := filepath.Glob(filepath.Join(cache, "kafka-*", "libs"))
	if err != nil || len(libs) == 0 {
		f.Found = "no version cached in " + cache + ": the first run fetches one"
		return f
	}
	var versions []string
	for _, lib := range libs {
		versions = append(versions, strings.TrimPrefix(filepath.Base(filepath.Dir(lib)), "kafka-"))
	}
	slices.Sort(versions)
	f.OK, f.Found = true, fmt.Sprintf("%s cached in %s", strings.Join(versions, ", "), cache)
	return f
}
