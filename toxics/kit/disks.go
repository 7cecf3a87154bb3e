package kit

import (
	"fmt"

	"github.com/chaeos/chaeos/harness"
)

// DisksOf returns the cluster's disks; an error if its provider can't change them.
func DisksOf(f *harness.Field) (harness.Disks, error) {
	disks, ok := f.Cluster.(harness.Disks)
	if !ok {
		return nil, fmt.Errorf("clusters of kind %s can't change what brokers have on their disks", f.Cluster.Info().Provider)
	}
	return disks, nil
}
