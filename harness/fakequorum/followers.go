package fakequorum

import (
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Followers makes kfake's brokers answer Fetch for every partition of the topics that somebody asks the metadata of, as Kafka's
// followers do. Kfake names every broker as a replica, and only the leader answers. It has one log for all of them.
func Followers(kafka *kfake.Cluster, nodes ...int32) {
	kafka.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		kafka.KeepControl()
		for _, t := range req.(*kmsg.MetadataRequest).Topics {
			for p := int32(0); t.Topic != nil && kafka.PartitionInfo(*t.Topic, p) != nil; p++ {
				kafka.SetFollowers(*t.Topic, p, nodes)
			}
		}
		return nil, nil, false
	})
}
