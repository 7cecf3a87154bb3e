package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/clusters/local"
)

const (
	needMemory     = 2 << 30 // brokers, workers and the harness of one run, measured
	needOpenFiles  = 4096
	raiseOpenFiles = "echo '* hard nofile 65536' | tee -a /etc/security/limits.conf   # as root, then log in again"
)

// machineFacts looks at this machine; cache is where Kafka's jars are kept.
func machineFacts(ctx context.Context, cache string) []fact {
	kafka := kafkaFact(cache)
	maven := mavenFact(ctx)
	maven.Optional = kafka.OK // what is cached needs no fetching
	return []fact{systemFact(), javaFact(ctx), maven, kafka, memoryFact("/proc/meminfo"), openFilesFact()}
}

func systemFact() fact {
	return fact{Name: "system", OK: runtime.GOOS == "linux", Found: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		Mend: "run it on Linux, or in a Linux container"}
}

func javaFact(ctx context.Context) fact {
	path, err := local.JavaPath()
	if err != nil {
		return parseJava("", err)
	}
	return parseJava(firstWords(ctx, path, "-version"))
}

func parseJava(out string, err error) fact {
	f := fact{Name: "java", Mend: local.InstallJava}
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

func mavenFact(ctx context.Context) fact { return parseMaven(firstWords(ctx, "mvn", "-B", "-v")) }

func parseMaven(out string, err error) fact {
	f := fact{Name: "maven", Mend: local.InstallMaven + "   # or give --kafka-home", Found: "none found: it fetches Kafka's jars"}
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
func kafkaFact(cache string) fact {
	f := fact{Name: "kafka", Optional: true}
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

var available = regexp.MustCompile(`(?m)^MemAvailable:\s+(\d+) kB$`)

func memoryFact(meminfo string) fact {
	f := fact{Name: "memory", Mend: "end other programs, or use a larger machine"}
	data, err := os.ReadFile(meminfo)
	m := available.FindSubmatch(data)
	if err != nil || m == nil {
		f.Optional, f.Found = true, "how much is free can't be read from "+meminfo
		return f
	}
	kib, _ := strconv.ParseUint(string(m[1]), 10, 54) // only digits match
	f.OK, f.Found = kib<<10 >= needMemory, fmt.Sprintf("%.1f GiB available, a run takes %d", float64(kib)/(1<<20), needMemory>>30)
	return f
}

// openFilesFact looks at the hard limit: Go and Java raise the soft one to it by themselves.
func openFilesFact() fact {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fact{Name: "open files", Optional: true, Found: "the limit can't be read: " + err.Error()}
	}
	return openFiles(limit.Max)
}

func openFiles(limit uint64) fact {
	return fact{Name: "open files", OK: limit >= needOpenFiles, Mend: raiseOpenFiles,
		Found: fmt.Sprintf("at most %s, a run takes %d", cmp.Or(map[bool]string{true: "unlimited"}[limit == unix.RLIM_INFINITY], fmt.Sprint(limit)), needOpenFiles)}
}
