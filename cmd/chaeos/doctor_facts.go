package main

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/clusters/containers"
	"github.com/chaeos/chaeos/clusters/local"
	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/chaeos/chaeos/harness"
)

const (
	needOpenFiles  = 4096
	raiseOpenFiles = "echo '* hard nofile 65536' | tee -a /etc/security/limits.conf   # as root, then log in again"
)

// machineFacts looks at this machine; cache is where Kafka's jars are kept, kafka the version that is run by default.
func machineFacts(ctx context.Context, cache, kafka string) []fact {
	common := []fact{systemFact(), memoryFact(machine.Meminfo), portsFact(), openFilesFact()}
	return summed(common, localFacts(ctx, cache), containerFacts(ctx, kafka))
}

// localFacts are what clusters of processes need.
func localFacts(ctx context.Context, cache string) []fact {
	kafka, maven := kafkaFact(cache), mavenFact(ctx)
	maven.Optional = kafka.OK // what is cached needs no fetching
	return grounded(local.Name, javaFact(ctx), maven, kafka)
}

func grounded(ground string, facts ...fact) []fact {
	for i := range facts {
		facts[i].Ground = ground
	}
	return facts
}

// summed adds what this machine can run. What one kind of cluster lacks is not needed where the other can be run.
func summed(common, local, containers []fact) []fact {
	base := lacks(common)
	noLocal, noContainers := lacks(local), lacks(containers)
	setOptional(local, noContainers == nil)
	setOptional(containers, noLocal == nil)
	all := slices.Concat(common, local, containers)
	return append(all,
		can(localGround, cmp.Or(noLocal, base), noContainers == nil),
		can(containerGround, cmp.Or(noContainers, base), noLocal == nil))
}

// lacks returns the first fact that keeps a run from being possible.
func lacks(facts []fact) *fact {
	for i, f := range facts {
		if !f.OK && !f.Optional {
			return &facts[i]
		}
	}
	return nil
}

func setOptional(facts []fact, optional bool) {
	for i := range facts {
		facts[i].Optional = facts[i].Optional || optional && !facts[i].OK
	}
}

// groundOf is a kind of cluster and what it declares that it can do.
type groundOf struct {
	name string
	can  []string
}

var (
	localGround     = groundOf{local.Name, local.Abilities()}
	containerGround = groundOf{containers.Name, containers.Abilities()}
)

// can says whether a kind of cluster can be run, and what it can do.
func can(g groundOf, missing *fact, other bool) fact {
	f := fact{Name: "clusters: " + g.name, OK: missing == nil, Found: "can do " + strings.Join(g.can, ", "), Ground: g.name}
	if missing != nil {
		f.Found, f.Mend, f.Optional = "lacks "+missing.Name, missing.Mend, other
	}
	return f
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

func memoryFact(meminfo string) fact {
	f := fact{Name: "memory", Mend: "end other programs, or use a larger machine"}
	has, err := machine.Available(meminfo)
	if err != nil {
		f.Optional, f.Found = true, "how much is free can't be read from "+meminfo
		return f
	}
	need := machine.Needed(harness.Topology{})
	f.OK, f.Found = has >= need, fmt.Sprintf("%s available, a run takes about %s", machine.GiB(has), machine.GiB(need))
	return f
}

// portsFact looks for a free block of ports, which every cluster takes.
func portsFact() fact {
	f := fact{Name: "ports", Mend: "ss -ltnp   # shows what listens there: end some of it"}
	if err := containers.FreePorts(); err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Found = true, "a block is free on loopback"
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
