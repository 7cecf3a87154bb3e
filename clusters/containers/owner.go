package containers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/moby/moby/client"
)

// Labels of everything that this provider makes. What has them is needed while its owner runs. A run that was
// killed can't clean up, so the next start does.
const (
	labelCluster = "chaeos.cluster" // the cluster's id
	labelNode    = "chaeos.node"    // a node's number, or "proxy"
	labelOwner   = "chaeos.owner"   // the process that made it, see owner
	labelKept    = "chaeos.kept"    // set if the cluster is to outlive its owner
)

// owner names a process beyond doubt: machine and boot, process namespace, id, and start time, because ids are used again.
type owner struct{ scope, pid, start string }

func thisProcess() (owner, error) {
	scope, err := here()
	if err != nil {
		return owner{}, err
	}
	pid := strconv.Itoa(os.Getpid())
	start, err := startOf(pid)
	return owner{scope, pid, start}, err
}

// here names the scope of process ids: this boot of this machine, and the namespace.
func here() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + "/" + space, err
}

// startOf is a living process's start time in the kernel's ticks; "" for one that is dead or a zombie.
func startOf(pid string) (string, error) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if errors.Is(err, os.ErrNotExist) {
		return "", hidden(pid)
	}
	if err != nil {
		return "", err
	}
	// "pid (name) state ppid …", in which the name may contain parentheses; the start time is field 22.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "", nil
	}
	return fields[19], nil
}

// hidden returns an error if a process that /proc doesn't show may be there all the same: mounted with hidepid, it shows no
// processes of other users. A signal that may not be sent has a process to go to.
func hidden(pid string) error {
	number, err := strconv.Atoi(pid)
	if err != nil || number <= 0 {
		return fmt.Errorf("%q is not the number of a process", pid)
	}
	if err := syscall.Kill(number, 0); !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("process %d can't be seen from here", number)
	}
	return nil
}

func (o owner) String() string { return strings.Join([]string{o.scope, o.pid, o.start}, " ") }

// gone reports whether the labelled owner is known to run no longer.
func gone(label string) bool {
	parts := strings.Fields(label)
	scope, err := here()
	if err != nil || len(parts) != 3 {
		return false
	}
	boot, _, _ := strings.Cut(scope, "/")
	switch {
	case !strings.HasPrefix(parts[0], boot):
		return true // the engine is on this machine, which was booted again since
	case parts[0] != scope:
		return false // a process of another namespace can't be seen from here
	}
	start, err := startOf(parts[1])
	return err == nil && start != parts[2]
}

// Leftover is what an earlier cluster left behind.
type Leftover struct {
	Cluster string
	// Kept reports whether the cluster was to stay (cluster up, run --keep).
	Kept bool
	// Orphaned reports whether its owner is known to be gone.
	Orphaned             bool
	containers, networks []string
}

func (l Leftover) String() string {
	return fmt.Sprintf("cluster %s: %d containers, %d networks", l.Cluster, len(l.containers), len(l.networks))
}

// Leftovers lists every cluster of which the engine has something, including those that run.
func (e *Engine) Leftovers(ctx context.Context) ([]Leftover, error) {
	byID := map[string]*Leftover{}
	var order []string
	find := func(labels map[string]string) *Leftover {
		id := labels[labelCluster]
		if byID[id] == nil {
			byID[id] = &Leftover{Cluster: id, Kept: labels[labelKept] != "", Orphaned: gone(labels[labelOwner])}
			order = append(order, id)
		}
		return byID[id]
	}
	filter := make(client.Filters).Add("label", labelCluster)
	containers, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list containers: %w", err)
	}
	for _, c := range containers.Items {
		l := find(c.Labels)
		l.containers = append(l.containers, c.ID)
	}
	networks, err := e.NetworkList(ctx, client.NetworkListOptions{Filters: filter})
	if err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	for _, n := range networks.Items {
		l := find(n.Labels)
		l.networks = append(l.networks, n.ID)
	}
	all := make([]Leftover, 0, len(order))
	for _, id := range order {
		all = append(all, *byID[id])
	}
	return all, nil
}

// Prune removes the clusters whose owners were killed; with all, also those that are to stay, that run, or whose owner
// can't be seen from here.
func (e *Engine) Prune(ctx context.Context, all bool) ([]Leftover, error) {
	found, err := e.Leftovers(ctx)
	var removed []Leftover
	for _, l := range found {
		if all || l.Orphaned && !l.Kept {
			if failed := e.Remove(ctx, l); failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			removed = append(removed, l)
		}
	}
	return removed, err
}

// removeWithin bounds the removal of one cluster.
const removeWithin = 30 * time.Second

// Remove removes everything of a cluster by force, also if ctx is over.
func (e *Engine) Remove(ctx context.Context, l Leftover) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	return errors.Join(e.removeContainers(ctx, l.containers), e.removeNetworks(ctx, l.networks))
}

// RemoveCluster removes everything that has a cluster's label.
func (e *Engine) RemoveCluster(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeWithin)
	defer cancel()
	all, err := e.Leftovers(ctx)
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.Cluster == id {
			return e.Remove(ctx, l)
		}
	}
	return nil
}
