package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// DisksOf is the cluster's disks, where its provider can change them.
func DisksOf(f *harness.Field) (harness.Disks, error) {
	disks, ok := f.Cluster.(harness.Disks)
	if !ok {
		return nil, fmt.Errorf("clusters of kind %s can't change what brokers have on their disks", f.Cluster.Info().Provider)
	}
	return disks, nil
}
