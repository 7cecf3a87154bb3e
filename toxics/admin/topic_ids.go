package admin

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/chaeos/chaeos/harness"
)

// TopicIDs asks for the ids of topics, in hexadecimal: newer requests name topics by them. It waits until some broker knows
// each topic, for a rule without the id would never match.
func TopicIDs(ctx context.Context, f *harness.Field, topics []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, ShownWithin)
	defer cancel()
	var known map[string][16]byte
	err := Until(ctx, func() error {
		md, _, err := f.Brokers().Newest(ctx, topics...)
		if err != nil {
			return err
		}
		known = md.TopicIDs
		for _, name := range topics {
			if known[name] == ([16]byte{}) {
				return fmt.Errorf("no broker knows topic %s", name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ids of topics: %w", err)
	}
	var ids []string
	for _, id := range known {
		ids = append(ids, hex.EncodeToString(id[:]))
	}
	slices.Sort(ids)
	return ids, nil
}
