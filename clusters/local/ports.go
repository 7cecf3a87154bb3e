package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"

	"github.com/chaeos/chaeos/harness"
)

// Blocks of ports are below the kernel's ephemeral range, in which a client's own connection could take a broker's port
// while that broker is down.
const (
	firstPort = 20000
	lastPort  = 32000
)

// errNoPorts is the error if every block is taken.
var errNoPorts = errors.New("no free block of ports between 20000 and 32000")

// reserve returns a free block of ports and the listener of its first one. That listener is the reservation: blocks are
// aligned, so the process that binds the first port has the block, on the whole machine and exactly as long as it runs. The
// block's other addresses are tried too, because other programs don't know of blocks.
func reserve(t harness.Topology) (layout, net.Listener, error) {
	blocks := (lastPort - firstPort) / blockSize
	start := rand.IntN(blocks)
	for i := range blocks {
		l := layout{base: firstPort + (start+i)%blocks*blockSize, topology: t}
		listener, err := net.Listen("tcp", l.api())
		if err != nil {
			continue
		}
		if probe(l.fixed()) == nil {
			return l, listener, nil
		}
		listener.Close()
	}
	return layout{}, nil, errNoPorts
}

// probe binds every address for a moment.
func probe(addresses []string) error {
	for _, address := range addresses {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("%s is taken: %w", address, err)
		}
		listener.Close()
	}
	return nil
}
