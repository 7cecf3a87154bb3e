package txns

import (
	"cmp"
	"slices"
)

// Incarnation is one incarnation of a worker.
type Incarnation struct {
	Worker uint16
	Number uint32
}

// Of is a worker's incarnation.
func Of(worker uint16, incarnation uint32) Incarnation { return Incarnation{worker, incarnation} }

// Key names a transaction: the worker's incarnation, and the transaction's ordinal in it.
type Key struct {
	Incarnation
	Ordinal uint64
}

// BlockSize is how many transactions, by ordinal, share a sum.
const BlockSize = 64

// Block is neighbouring transactions of one incarnation: those with ordinals from Index times BlockSize on.
type Block struct {
	Incarnation
	Index uint64
}

// BlockOf is the block of a transaction.
func BlockOf(i Incarnation, ordinal uint64) Block { return Block{i, ordinal / BlockSize} }

// Sums are what is kept of transactions that ended as they should: for each block, the sum of its transactions' records by
// partition and visibility, each count times a number drawn from what it counts. If the sums of history and log are the same,
// then, but for one chance in 2^64, every transaction of the block left in every partition what was confirmed of it, in
// whatever order the records came.
type Sums struct {
	ByBlock map[Block]uint64
	// Suspects are blocks to look into, whatever their sums.
	Suspects map[Block]bool
}

// NewSums makes empty sums.
func NewSums() *Sums { return &Sums{map[Block]uint64{}, map[Block]bool{}} }

// Expect adds what a transaction with a confirmed end must have left: confirmed outputs by partition, which are visible after
// a commit and aborted after an abort.
func (s *Sums) Expect(i Incarnation, ordinal uint64, commit bool, confirmed map[int32]uint64) {
	visibility := Visible
	if !commit {
		visibility = Aborted
	}
	sum := uint64(0)
	for p, n := range confirmed {
		sum += n * Weight(Key{i, ordinal}, p, visibility)
	}
	s.ByBlock[BlockOf(i, ordinal)] += sum
}

// Take adds records of a transaction that are in the log.
func (s *Sums) Take(key Key, n, weight uint64) {
	s.ByBlock[BlockOf(key.Incarnation, key.Ordinal)] += n * weight
}

// Suspect marks a transaction's block as one to look into.
func (s *Sums) Suspect(i Incarnation, ordinal uint64) { s.Suspects[BlockOf(i, ordinal)] = true }

// Merge adds another log's sums.
func (s *Sums) Merge(o *Sums) {
	for b, sum := range o.ByBlock {
		s.ByBlock[b] += sum
	}
	for b := range o.Suspects {
		s.Suspects[b] = true
	}
}

// Weight is what one record of a transaction in a partition, with this visibility, counts in a sum: an odd number, so that no
// small count makes it vanish.
func Weight(key Key, partition int32, visibility Visibility) uint64 {
	x := mix(key.Ordinal + 0x9e3779b97f4a7c15)
	x = mix(x ^ uint64(key.Worker)<<32 ^ uint64(key.Number))
	return mix(x^uint64(uint32(partition))<<8^uint64(visibility+1)) | 1
}

// mix is splitmix64's finaliser.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// SortedBlocks lists blocks by worker, incarnation and number.
func SortedBlocks(of map[Block]bool) []Block {
	all := make([]Block, 0, len(of))
	for b := range of {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Index, b.Index))
	})
	return all
}
