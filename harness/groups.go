package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// shareStateTopic is the internal topic in which brokers keep the acknowledgements of share groups.
const shareStateTopic = "__share_group_state"

// shareFeature is the feature that brokers need to run share groups.
const shareFeature = "share.version"

// GroupConfig is one configuration of a share group, which brokers keep; Default is Kafka's own value.
type GroupConfig struct{ Name, Value, Default string }

// ShareGroupConfigs are what a run sets for each of its share groups, before a member joins: the brokers, not the
// members, decide where a group begins and when a member is gone.
func ShareGroupConfigs(shared Shared) []GroupConfig {
	millis := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	return []GroupConfig{
		{"share.auto.offset.reset", "earliest", "latest"},
		{"share.session.timeout.ms", millis(shared.SessionTimeout), "45000"},
		{"share.heartbeat.interval.ms", millis(max(time.Second, shared.SessionTimeout/3)), "5000"},
	}
}

// shares reports whether a pipeline of the plan is a share group.
func (p TopicPlan) shares() bool {
	return slices.ContainsFunc(p.Pipelines, func(l PipelineLayout) bool { return l.ShareGroup })
}

// internalTopics are the brokers' own topics that a plan makes, with their configurations.
func (p TopicPlan) internalTopics() map[string]map[string]string {
	compacted := map[string]string{"cleanup.policy": "compact", "min.insync.replicas": "2", "segment.bytes": "104857600"}
	topics := map[string]map[string]string{offsetsTopic: compacted, transactionsTopic: compacted}
	if p.shares() {
		topics[shareStateTopic] = map[string]string{"cleanup.policy": "delete", "retention.ms": "-1", "min.insync.replicas": "2", "segment.bytes": "104857600"}
	}
	return topics
}

// internalNames lists them, sorted.
func (p TopicPlan) internalNames() []string { return slices.Sorted(maps.Keys(p.internalTopics())) }

// checkShareGroups refuses a cluster whose brokers can't run the share groups of the plan.
func checkShareGroups(infos []PipelineInfo, features []Feature) error {
	for _, info := range infos {
		if !info.ShareGroup {
			continue
		}
		i := slices.IndexFunc(features, func(f Feature) bool { return f.Name == shareFeature && f.Level > 0 })
		if i < 0 {
			return UsageError{fmt.Sprintf("pipeline %s needs share groups, which the cluster doesn't have (%s is not 1): take Kafka 4.2 or newer", info.Name, shareFeature)}
		}
	}
	return nil
}

// ConfigureShareGroups sets the plan's share groups' configurations.
func ConfigureShareGroups(ctx context.Context, client *kgo.Client, plan TopicPlan, shared Shared) error {
	if !plan.shares() {
		return nil
	}
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	for _, l := range plan.Pipelines {
		if !l.ShareGroup {
			continue
		}
		r := kmsg.NewIncrementalAlterConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeGroupConfig, l.Group
		for _, c := range ShareGroupConfigs(shared) {
			set := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
			set.Name, set.Value = c.Name, kmsg.StringPtr(c.Value)
			r.Configs = append(r.Configs, set)
		}
		req.Resources = append(req.Resources, r)
	}
	resp, err := req.RequestWith(ctx, client)
	if err != nil {
		return fmt.Errorf("configuring share groups: %w", err)
	}
	for _, r := range resp.Resources {
		if err := kerr.ErrorForCode(r.ErrorCode); err != nil {
			return fmt.Errorf("configuring share group %s: %w (%s)", r.ResourceName, err, deref(r.ErrorMessage))
		}
	}
	return nil
}
