package bench

import (
	"slices"
	"testing"

	toxiproxy "github.com/Shopify/toxiproxy/v2/client"
	"github.com/stretchr/testify/require"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/toxics/kafkatoxic"
)

// The links of a producer whose proxies have the Kafka-aware toxics, armed with rules that match nothing, and of one whose
// proxies don't have them.
const (
	armedLinks = "armed"
	plainLinks = "plain"
)

// prepareLink is what the cluster of a run does, but for the links that are to be without the toxics.
func prepareLink(link harness.Link, proxy *toxiproxy.Proxy) error {
	if link.From == plainLinks {
		return nil
	}
	return kafkatoxic.Prepare(proxy)
}

// BenchmarkToxics reports how fast a bare producer is through proxies whose toxics are armed and match nothing, against
// proxies without them: the median ratio of pairs, whose order alternates, with its 95 % interval.
func BenchmarkToxics(b *testing.B) {
	r := newRig(b)
	const size, count = 1024, 100_000 // legs of a second or two: many short pairs tell more than few long ones
	sides := []string{armedLinks, plainLinks}
	for _, links := range sides { // makes the links, and warms the brokers up
		r.legOver(b, links, barePart, size, count)
	}
	client := toxiproxy.NewClient(r.cluster.Info().ToxiproxyAPI)
	for _, l := range r.cluster.Links() {
		if l.From != armedLinks {
			continue
		}
		for _, rule := range []kafkatoxic.Rule{
			{ID: "another-api", Op: kafkatoxic.Hold, On: kafkatoxic.OnRequest, APIs: []string{"EndTxn"}},
			{ID: "another-client", Op: kafkatoxic.Cut, On: kafkatoxic.OnResponse, APIs: []string{"Produce"}, Clients: []string{"nobody"}},
		} {
			require.NoError(b, kafkatoxic.NewRemote(client, l.Proxy).Arm(rule))
		}
	}
	rates := map[string][]float64{}
	var ratios []float64
	for b.Loop() {
		for _, links := range sides {
			rates[links] = append(rates[links], r.legOver(b, links, barePart, size, count))
		}
		slices.Reverse(sides)
		i := len(ratios)
		ratios = append(ratios, rates[armedLinks][i]/rates[plainLinks][i])
	}
	b.ReportMetric(median(ratios), "ratio")
	low, high := around(ratios)
	b.ReportMetric(low, "ratio-low")
	b.ReportMetric(high, "ratio-high")
	b.ReportMetric(median(rates[armedLinks]), "armed-records/s")
	b.ReportMetric(median(rates[plainLinks]), "plain-records/s")
	b.ReportMetric(0, "ns/op") // says nothing: a pair and its topics
}
