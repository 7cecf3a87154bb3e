package provider

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/chaeos/chaeos/clusters/containers"
	"github.com/chaeos/chaeos/clusters/machine"
	"github.com/chaeos/chaeos/harness"
)

const (
	needOpenFiles  = 4096
	raiseOpenFiles = "echo '* hard nofile 65536' | tee -a /etc/security/limits.conf   # as root, then log in again"
)

// Fact is one thing that a run needs of this machine.
type Fact struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	// Optional reports whether a run can do without it.
	Optional bool `json:"optional,omitempty"`
	// Provider is the one that needs it ("" all).
	Provider string `json:"ground,omitempty"`
	// Found is what there is, in a few words.
	Found string `json:"found"`
	// Mend is the command to type, or what to do, when OK is false.
	Mend string `json:"mend,omitempty"`
}

// Facts looks at this machine: first at what every cluster needs, then at what each provider does, then it sums up.
func Facts(ctx context.Context, all []Kind, m Machine) []Fact {
	common := []Fact{systemFact(), memoryFact(machine.This), portsFact(), openFilesFact()}
	own := make([][]Fact, len(all))
	for i, p := range all {
		own[i] = p.facts(ctx, m)
	}
	return summed(common, all, own)
}

// Machine is what facts are about.
type Machine struct {
	// Cache is where Kafka's jars are kept, Kafka the version that is run by default, Binary this program.
	Cache, Kafka, Binary string
}

// summed adds what this machine can run. What one provider lacks is not needed if another can run a cluster.
func summed(common []Fact, all []Kind, own [][]Fact) []Fact {
	facts, sums := slices.Clone(common), []Fact(nil)
	lack := make([]*Fact, len(all))
	for i := range all {
		lack[i] = lacks(own[i])
	}
	for i, p := range all {
		other := slices.Contains(slices.Delete(slices.Clone(lack), i, i+1), nil)
		for _, f := range own[i] {
			f.Provider, f.Optional = p.name, f.Optional || other && !f.OK
			facts = append(facts, f)
		}
		sums = append(sums, can(p, cmp.Or(lack[i], lacks(common)), other))
	}
	return append(facts, sums...)
}

// lacks returns the first fact that keeps a run from being possible.
func lacks(facts []Fact) *Fact {
	for i, f := range facts {
		if !f.OK && !f.Optional {
			return &facts[i]
		}
	}
	return nil
}

// can reports whether a provider can run a cluster on this machine, and what it can do with it.
func can(p Kind, missing *Fact, other bool) Fact {
	f := Fact{Name: "clusters: " + p.name, OK: missing == nil, Found: "can do " + strings.Join(p.abilities, ", "), Provider: p.name}
	if len(p.abilities) == 0 {
		f.Found = "can only serve clients"
	}
	if missing != nil {
		f.Found, f.Mend, f.Optional = "lacks "+missing.Name, missing.Mend, other
	}
	return f
}

func systemFact() Fact {
	return Fact{Name: "system", OK: runtime.GOOS == "linux", Found: fmt.Sprintf("%s/%s, %d CPUs", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)),
		Mend: "run it on Linux, or in a Linux container"}
}

func memoryFact(h machine.Host) Fact {
	f := Fact{Name: "memory", Mend: "end other programs, or use a larger machine"}
	has, err := h.Available()
	if err != nil {
		f.Optional, f.Found = true, "how much is free can't be read: "+err.Error()
		return f
	}
	need := machine.Needed(harness.Topology{})
	f.OK, f.Found = has >= need, fmt.Sprintf("%s available, a run takes about %s", machine.GiB(has), machine.GiB(need))
	return f
}

// portsFact looks for a free block of ports, which every cluster takes.
func portsFact() Fact {
	f := Fact{Name: "ports", Mend: "ss -ltnp   # shows what listens there: end some of it"}
	if err := containers.FreePorts(); err != nil {
		f.Found = err.Error()
		return f
	}
	f.OK, f.Found = true, "a block is free on loopback"
	return f
}

// openFilesFact looks at the hard limit: Go and Java raise the soft one to it by themselves.
func openFilesFact() Fact {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return Fact{Name: "open files", Optional: true, Found: "the limit can't be read: " + err.Error()}
	}
	return openFiles(limit.Max)
}

func openFiles(limit uint64) Fact {
	return Fact{Name: "open files", OK: limit >= needOpenFiles, Mend: raiseOpenFiles,
		Found: fmt.Sprintf("at most %s, a run takes %d", cmp.Or(map[bool]string{true: "unlimited"}[limit == unix.RLIM_INFINITY], fmt.Sprint(limit)), needOpenFiles)}
}
