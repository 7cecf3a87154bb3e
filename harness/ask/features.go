package ask

import (
	"context"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// Features are the cluster's finalised feature levels by name, asking the nodes in turn.
func (b Brokers) Features(ctx context.Context) (map[string]int16, error) {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = "chaeos", "1"
	resp, err := First[*kmsg.ApiVersionsResponse](ctx, b, req)
	if err != nil {
		return nil, err
	}
	levels := map[string]int16{}
	for _, f := range resp.FinalizedFeatures {
		levels[f.Name] = f.MaxVersionLevel
	}
	return levels, nil
}
