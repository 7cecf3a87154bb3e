package target

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/chaeos/chaeos/harness/ask"
)

// most returns the broker that occurs most often, the lowest of equals. By plan, pipelines share leaders and coordinators, but
// a failover may have parted them, and a fault hits the same brokers for all.
func most(brokers []int) (int, bool) {
	count := map[int]int{}
	best := 0
	for _, b := range slices.Sorted(slices.Values(brokers)) {
		count[b]++
		if count[b] > count[best] {
			best = b
		}
	}
	return best, len(brokers) > 0
}

// states returns the states of a target's partition in every topic that the target means.
func states(v View, t Target) ([]ask.PartitionState, error) {
	var found []ask.PartitionState
	for _, topic := range v.Names(t.words["topic"]) {
		if state, ok := v.Topics[topic][t.partition()]; ok {
			found = append(found, state)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%q: there is no such partition", t)
	}
	return found, nil
}

func leaderOf(v View, t Target) ([]int, error) {
	found, err := states(v, t)
	if err != nil {
		return nil, err
	}
	var leaders []int
	for _, s := range found {
		if s.Leader >= 0 {
			leaders = append(leaders, s.Leader)
		}
	}
	leader, ok := most(leaders)
	if !ok {
		return nil, fmt.Errorf("%q: the partition has no leader now", t)
	}
	return []int{leader}, nil
}

// followerOf picks the first in-sync follower in the order of the assignment that isn't the controller, or else the first.
func followerOf(v View, t Target) ([]int, error) {
	leaders, err := leaderOf(v, t)
	if err != nil {
		return nil, err
	}
	found, _ := states(v, t) // leaderOf found some
	var followers []int
	for _, r := range found[0].Replicas {
		if int(r) != leaders[0] && slices.Contains(found[0].ISR, r) {
			followers = append(followers, int(r))
		}
	}
	if len(followers) == 0 {
		return nil, fmt.Errorf("%q: the partition has no follower in sync now", t)
	}
	for _, f := range followers {
		if f != v.Controller {
			return []int{f}, nil
		}
	}
	return followers[:1], nil
}

// laggardOf picks the first replica in the order of the assignment that is not in sync.
func laggardOf(v View, t Target) ([]int, error) {
	found, err := states(v, t)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		for _, r := range s.Replicas {
			if !slices.Contains(s.ISR, r) {
				return []int{int(r)}, nil
			}
		}
	}
	return nil, fmt.Errorf("%q: every replica is in sync now", t)
}

func controllerNow(v View, t Target) ([]int, error) {
	if v.controllerErr != nil {
		return nil, fmt.Errorf("%q: %w", t, v.controllerErr)
	}
	return []int{v.Controller}, nil
}

func groupCoordinator(v View, t Target) ([]int, error) { return coordinatorIn(v, v.groups, t, "group") }

func transactionCoordinator(v View, t Target) ([]int, error) {
	return coordinatorIn(v, v.transactions, t, "transactional id")
}

func coordinatorIn(v View, of map[string]int, t Target, what string) ([]int, error) {
	if p := t.words["pipeline"]; p != "" {
		node, ok := of[p]
		if !ok {
			return nil, errors.Join(fmt.Errorf("%q: pipeline %s has no %s", t, p, what), v.coordinatorErr)
		}
		return []int{node}, nil
	}
	node, ok := most(slices.Collect(maps.Values(of)))
	if !ok {
		return nil, errors.Join(fmt.Errorf("%q: no pipeline of the run has a %s", t, what), v.coordinatorErr)
	}
	return []int{node}, nil
}

func brokerNumber(v View, t Target) ([]int, error) {
	if n := t.number("number"); slices.Contains(v.Nodes, n) {
		return []int{n}, nil
	}
	return nil, fmt.Errorf("%q: the cluster has brokers %v", t, v.Nodes)
}

func allBrokers(v View, _ Target) ([]int, error) { return slices.Clone(v.Nodes), nil }

// FindBrokers resolves a target that selects brokers; to select none is an error.
func (t Target) FindBrokers(v View) ([]int, error) {
	if t.Class() != Brokers {
		return nil, fmt.Errorf("%q selects %s, not brokers", t, t.Class())
	}
	found, err := combine(t, func(atom Target) ([]int, error) { return atom.form.brokers(v, atom) })
	if err == nil && t.random() {
		found = []int{found[v.draw%uint64(len(found))]}
	}
	return found, err
}

// Without lists the nodes that are not in the second list.
func Without(nodes, hit []int) []int {
	return slices.DeleteFunc(slices.Clone(nodes), func(n int) bool { return slices.Contains(hit, n) })
}
