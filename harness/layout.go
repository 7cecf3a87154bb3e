package harness

import (
	"fmt"
	"maps"
	"slices"
)

// InternalPartitions is the number of partitions of __consumer_offsets and of __transaction_state in the clusters of a run.
const InternalPartitions = 3

// coordinatorPartition is the partition of both internal topics that every group and transactional id of a run hashes
// to, so that pipelines share their coordinators, also after failovers.
const coordinatorPartition = 1

// planTopics lays a run's topics out. Partition p of every topic has the same replicas in the same order. Leaders of
// partition 0 and of the coordinators' partition are not the active controller, so that a fault on one does not hit the
// other unless an experiment aims there.
func planTopics(name string, exp Experiment, infos []PipelineInfo, nodes []int, controller int) TopicPlan {
	plan := TopicPlan{
		Input: name + "-in", Partitions: exp.Cluster.Partitions, MinISR: exp.Cluster.MinISR,
		Controller: controller, Replicas: map[int32][]int{},
	}
	order := slices.Clone(nodes)
	if i := slices.Index(order, controller); i >= 0 { // it is not if controllers are nodes of their own
		order = append(slices.Delete(order, i, i+1), controller)
	}
	for p := range int32(max(plan.Partitions, InternalPartitions)) {
		plan.Replicas[p] = replicas(order, int(p), exp.Cluster.Topology.Rack)
	}
	for i, info := range infos {
		l := LayOut(name, info, uint16(i+1), exp.Workers)
		for _, option := range slices.Sorted(maps.Keys(exp.Options[info.Name])) {
			l.Deviations = append(slices.Clone(l.Deviations), option+": "+exp.Options[info.Name][option])
		}
		plan.Pipelines = append(plan.Pipelines, l)
	}
	return plan
}

// MaxReplicas is the replication factor of every topic of a run.
const MaxReplicas = 3

// replicas takes a partition's replicas from the order, beginning with the partition's number, in as many racks as there
// are: a broker whose rack has a replica already comes after every other rack has one.
func replicas(order []int, partition int, rack func(int) string) []int {
	var out, later []int
	used := map[string]bool{}
	for i := range order {
		node := order[(partition+i)%len(order)]
		if r := rack(node); r == "" || !used[r] {
			out, used[r] = append(out, node), true
		} else {
			later = append(later, node)
		}
	}
	return append(out, later...)[:min(len(order), MaxReplicas)]
}

// LayOut is where a pipeline reads and writes in a run of this name; source is the number of the source under test, if one
// is.
func LayOut(name string, info PipelineInfo, source uint16, workers int) PipelineLayout {
	l := PipelineLayout{PipelineInfo: info, Output: name + "-out-" + info.Name}
	if info.Effects {
		l.Output = name + "-effects-" + info.Name
	}
	if info.ProducerOnly {
		l.Source = source
		if info.Transactional {
			l.TransactionalIDs = []string{CoordinatedID(fmt.Sprintf("%s-%s", name, info.Name))}
		}
		return l
	}
	for n := 2; n <= info.Topics; n++ {
		l.Further = append(l.Further, fmt.Sprintf("%s-%d", l.Output, n))
	}
	l.Source = SharedSource
	l.Group = CoordinatedID(name + "-" + info.Name)
	if info.Transactional {
		for w := range workers {
			l.TransactionalIDs = append(l.TransactionalIDs, CoordinatedID(fmt.Sprintf("%s-%s-%d", name, info.Name, w)))
		}
	}
	return l
}

// CoordinatedID extends prefix until it hashes to the coordinators' partition, as the brokers hash: the absolute value
// of Java's String.hashCode modulo the topic's partitions (Kafka, Utils.abs; GroupCoordinator.partitionFor,
// TransactionStateManager.partitionFor).
func CoordinatedID(prefix string) string {
	for salt := 0; ; salt++ {
		id := fmt.Sprintf("%s.%d", prefix, salt)
		if (javaHash(id)&0x7fffffff)%InternalPartitions == coordinatorPartition {
			return id
		}
	}
}

func javaHash(s string) int32 {
	var h int32
	for _, c := range []byte(s) { // ids are ASCII: bytes are Java's chars
		h = 31*h + int32(c)
	}
	return h
}
