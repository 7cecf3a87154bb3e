package brokertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// standing is what can be seen of a bystander and doesn't change by itself.
type standing struct {
	// Processes are its brokers' and members'.
	Processes map[string]string
	// Leaders are each partition's leader, leader epoch and replicas.
	Leaders map[int32]string
	// Settings are those that somebody set, of its topic and of its brokers.
	Settings map[string]string
	// Links say how many connections have ended on each, and what faults have put on it.
	Links map[string]string
	// Offsets are what its group has committed.
	Offsets []int64
	// Transaction is what the coordinator says about its transaction, Open what the partition's leader says: they may differ.
	Transaction, Open string
	// Coordinators are its group's and its transactional id's.
	Coordinators [2]int
	// Failed counts records that were not stored, and polls that failed.
	Failed int64
}

func (b *bystander) stands(t *testing.T) standing {
	t.Helper()
	of := [2]int{
		coordinatorBy(t, b.stage, b.brokers, 0, b.group), coordinatorBy(t, b.stage, b.brokers, 1, b.transactional),
	}
	return standing{
		Processes: b.processes(t), Leaders: b.leaders(t), Settings: b.settings(t), Links: b.links(t), Coordinators: of,
		Offsets: b.stage.offsets(t, b.group, of[0]), Transaction: b.transaction(t, of[1]),
		Open: b.stage.open(t, b.topic, 0, b.brokers[0]), Failed: b.failed.Load(),
	}
}

func (b *bystander) processes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	nodes, err := b.stage.cluster.Status(t.Context())
	require.NoError(t, err)
	for _, n := range nodes {
		if slices.Contains(b.brokers, n.Node) {
			all[fmt.Sprintf("broker %d", n.Node)] = fmt.Sprintf("%s as process %d", n.State, n.Pid)
		}
	}
	for _, m := range b.stage.Fleet.Members() {
		if slices.Contains(b.members, m.Name) {
			all[m.Name] = fmt.Sprintf("%s as process %d, life %d", m.State, m.Pid, m.Incarnation)
		}
	}
	return all
}

func (b *bystander) leaders(t *testing.T) map[int32]string {
	t.Helper()
	md, err := ask.Of(b.stage.Admin, b.brokers...).Metadata(t.Context(), b.topic)
	require.NoError(t, err)
	all := map[int32]string{}
	for p, state := range md.Topics[b.topic] {
		all[p] = fmt.Sprintf("led by %d in epoch %d, on %v", state.Leader, state.LeaderEpoch, state.Replicas)
	}
	return all
}

// settings lists what was set of the topic and of each broker, who is asked itself.
func (b *bystander) settings(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	note := func(node int, kind kmsg.ConfigResourceType, name string) {
		req := kmsg.NewPtrDescribeConfigsRequest()
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kind, name
		req.Resources = append(req.Resources, r)
		resp, err := ask.First[*kmsg.DescribeConfigsResponse](t.Context(), ask.Of(b.stage.Admin, node), req)
		require.NoError(t, err)
		for _, c := range resp.Resources[0].Configs {
			switch c.Source {
			case kmsg.ConfigSourceDynamicTopicConfig, kmsg.ConfigSourceDynamicBrokerConfig, kmsg.ConfigSourceDynamicDefaultBrokerConfig:
				all[name+" "+c.Name] = text(c.Value)
			}
		}
	}
	note(b.brokers[0], kmsg.ConfigResourceTypeTopic, b.topic)
	for _, node := range b.brokers {
		note(node, kmsg.ConfigResourceTypeBroker, fmt.Sprint(node))
	}
	return all
}

// links are the bystander's own to its brokers, and its members'.
func (b *bystander) links(t *testing.T) map[string]string {
	t.Helper()
	proxies, err := toxiclient.NewClient(b.stage.cluster.Info().ToxiproxyAPI).Proxies()
	require.NoError(t, err)
	bytes, err := b.stage.cluster.Bytes(t.Context())
	require.NoError(t, err)
	rules := b.stage.statuses(t)
	all := map[string]string{}
	for _, l := range b.stage.cluster.Links() {
		own := strings.HasPrefix(l.From, b.name)
		if l.Kind != harness.ClientLink || !slices.Contains(b.brokers, l.To) || !own && !slices.Contains(b.members, l.From) {
			continue
		}
		text := faultsOn(proxies[l.Proxy], rules[l.Proxy])
		if own { // workers' clients end connections that they have not used for a while
			text += fmt.Sprintf(", %d connections ended", bytes[l.Proxy].UpstreamEnded+bytes[l.Proxy].DownstreamEnded)
		}
		all[l.Proxy] = text
	}
	return all
}

// faultsOn says what faults have put on a link and done there. A rule that matches nothing leaves it alone.
func faultsOn(p *toxiclient.Proxy, rules kafkatoxic.Status) string {
	var toxics []string
	for _, toxic := range p.ActiveToxics {
		if strings.HasPrefix(toxic.Name, "chaeos-") {
			toxics = append(toxics, toxic.Name)
		}
	}
	matched := int64(0)
	for _, r := range rules.Rules {
		matched += r.Matched
	}
	return fmt.Sprintf("enabled %t, toxics %v, %d requests matched", p.Enabled, toxics, matched)
}

// transaction asks the coordinator.
func (b *bystander) transaction(t *testing.T, coordinator int) string {
	t.Helper()
	req := kmsg.NewPtrDescribeTransactionsRequest()
	req.TransactionalIDs = []string{b.transactional}
	resp, err := ask.First[*kmsg.DescribeTransactionsResponse](t.Context(), ask.Of(b.stage.Admin, coordinator), req)
	require.NoError(t, err)
	found := resp.TransactionStates
	require.Len(t, found, 1)
	return fmt.Sprintf("%s, producer %d in epoch %d", found[0].State, found[0].ProducerID, found[0].ProducerEpoch)
}

// open asks a partition's leader for the transactions that it has not ended.
func (s *stage) open(t *testing.T, topic string, partition int32, leader int) string {
	t.Helper()
	req := kmsg.NewPtrDescribeProducersRequest()
	r := kmsg.NewDescribeProducersRequestTopic()
	r.Topic, r.Partitions = topic, []int32{partition}
	req.Topics = append(req.Topics, r)
	resp, err := ask.First[*kmsg.DescribeProducersResponse](t.Context(), ask.Of(s.Admin, leader), req)
	require.NoError(t, err)
	found := resp.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(found.ErrorCode); err != nil {
		return err.Error()
	}
	var texts []string
	for _, p := range found.ActiveProducers {
		if p.CurrentTxnStartOffset >= 0 {
			texts = append(texts, fmt.Sprintf("producer %d from offset %d", p.ProducerID, p.CurrentTxnStartOffset))
		}
	}
	return strings.Join(texts, ", ")
}
