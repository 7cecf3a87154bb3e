package worker

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/chaeos/chaeos/workloads/member"
	"github.com/chaeos/chaeos/workloads/protocol"
)

// The options of every pipeline whose workers are members of a consumer group.
const (
	OptionProtocol   = "group-protocol"
	OptionAssignment = "assignment"
	OptionStatic     = "static-membership"
)

// GroupOptions are the options of a pipeline whose workers are members of a consumer group, after its own.
func GroupOptions(own ...member.Option) member.Options {
	return append(own,
		member.Option{Name: OptionProtocol, Default: "classic", Values: []string{"classic", "consumer"},
			About: "who runs the group: its members (classic), or the brokers (consumer, KIP-848)"},
		member.Option{Name: OptionAssignment, Default: "cooperative", Values: []string{"cooperative", "eager"},
			About: "whether a rebalance revokes every partition (eager) or only those that move"},
		member.Option{Name: OptionStatic, Default: "false", Values: []string{"false", "true"},
			About: "whether a worker keeps its membership over restarts (group.instance.id)"},
	)
}

// CheckGroupOptions returns what is wrong with a combination of a pipeline's settings, or nil.
func CheckGroupOptions(pipeline string, set map[string]string) error {
	if set[OptionProtocol] == "consumer" && set[OptionAssignment] == "eager" {
		return fmt.Errorf("pipeline %s: with %s consumer the brokers assign, and they do it cooperatively: %s eager can't be",
			pipeline, OptionProtocol, OptionAssignment)
	}
	return nil
}

// groupOptions are what every worker's consumer shares: a heartbeat of a third of the session, and, unless the experiment
// says otherwise, the cooperative balancer, so that a member that joins or dies doesn't stop the others.
func groupOptions(s protocol.Spec, balancer kgo.GroupBalancer) []kgo.Opt {
	return append(membershipProtocol(s, balancer),
		kgo.ConsumerGroup(s.Group),
		kgo.ConsumeTopics(s.Input),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.SessionTimeout(s.Shared.SessionTimeout),
		kgo.HeartbeatInterval(s.Shared.SessionTimeout/3),
	)
}

// membershipProtocol are the options that say how the worker is a member of its group.
func membershipProtocol(s protocol.Spec, balancer kgo.GroupBalancer) []kgo.Opt {
	opts := []kgo.Opt{kgo.Balancers(balancer)}
	if s.Option(OptionProtocol) == "consumer" {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	if s.Option(OptionStatic) == "true" {
		opts = append(opts, kgo.InstanceID(s.Name))
	}
	return opts
}

// assignor assigns a group's partitions, where its members do that.
func assignor(s protocol.Spec) kgo.GroupBalancer {
	if s.Option(OptionProtocol) == "consumer" || s.Option(OptionAssignment) == "eager" {
		return kgo.StickyBalancer()
	}
	return kgo.CooperativeStickyBalancer()
}
