package toxics

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A setting counts as changed when each broker shows it, not only the first.
func TestSettingsAreAwaitedAtEachBroker(t *testing.T) {
	s := newStage(t)
	late := s.behind(2, 3) // twice at the injection, and as long as it takes to see that it waits
	i := s.inject(t, "topic-config", "topic output", nil)
	assert.Zero(t, late.Load(), "it waited for the last one")
	late.Store(2)
	require.NoError(t, i.Heal(t.Context()))
	assert.Zero(t, late.Load(), "the heal too")

	late.Store(1 << 30)
	i, err := s.try(t.Context(), t, "topic-config", "topic output", nil)
	require.ErrorContains(t, err, "at broker 3, and should be")
	late.Store(0)
	require.NoError(t, i.Heal(t.Context()))
}

// behind makes a broker answer a number of questions for settings as if it had not heard of any change.
func (s *stage) behind(times int64, node int32) *atomic.Int64 {
	var left atomic.Int64
	left.Store(times)
	s.kafka.ControlKey(int16(kmsg.DescribeConfigs), func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		s.kafka.KeepControl()
		if s.kafka.CurrentNode() != node || left.Load() == 0 {
			return nil, nil, false
		}
		left.Add(-1)
		resp := kreq.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, r := range kreq.(*kmsg.DescribeConfigsRequest).Resources {
			res := kmsg.NewDescribeConfigsResponseResource()
			res.ResourceType, res.ResourceName = r.ResourceType, r.ResourceName
			for _, name := range r.ConfigNames {
				entry := kmsg.NewDescribeConfigsResponseResourceConfig()
				entry.Name, entry.Value, entry.Source = name, kmsg.StringPtr("never heard"), kmsg.ConfigSourceDynamicTopicConfig
				res.Configs = append(res.Configs, entry)
			}
			resp.Resources = append(resp.Resources, res)
		}
		return resp, nil, true
	})
	return &left
}
