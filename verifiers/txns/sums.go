package txns

import (
	"cmp"
	"slices"
)

// blockSize is how many transactions, by ordinal, share a sum.
const BlockSize = 64

// Of is a worker's incarnation.
func Of(worker uint16, incarnation uint32) Incarnation { return Incarnation{worker, incarnation} }

// block is one stretch of a worker's life: its transactions with ordinals from number times blockSize on.
type Block struct {
	Incarnation
	Number uint64
}

func BlockOf(l Incarnation, ordinal uint64) Block { return Block{l, ordinal / BlockSize} }

// blocks are what is kept of transactions that ended as they should: for each block the sum of its transactions' records
// by partition and fate, each count times a number drawn from what it counts. Sums of history and log that are the same
// say, but for one chance in 2^64, that every transaction of the block left in every partition what was confirmed of it,
// whatever order the records came in.
type Sums struct {
	ByBlock map[Block]uint64
	// suspects are blocks to look into, whatever their sums.
	Suspects map[Block]bool
}

func NewSums() *Sums { return &Sums{map[Block]uint64{}, map[Block]bool{}} }

// expect adds what a transaction with a confirmed end must have left: outputs that are visible, or outputs that are
// aborted.
func (b *Sums) Expect(l Incarnation, ordinal uint64, commit bool, confirmed map[int32]uint64) {
	stands := Visible
	if !commit {
		stands = Aborted
	}
	sum := uint64(0)
	for p, n := range confirmed {
		sum += n * Weight(Key{l, ordinal}, p, stands)
	}
	b.ByBlock[BlockOf(l, ordinal)] += sum
}

// take adds records of a transaction that are in the log.
func (b *Sums) Take(key Key, n, weight uint64) {
	b.ByBlock[BlockOf(key.Incarnation, key.Ordinal)] += n * weight
}

func (b *Sums) Suspect(l Incarnation, ordinal uint64) { b.Suspects[BlockOf(l, ordinal)] = true }

func (b *Sums) Merge(o *Sums) {
	for k, sum := range o.ByBlock {
		b.ByBlock[k] += sum
	}
	for k := range o.Suspects {
		b.Suspects[k] = true
	}
}

// weight is the number that stands for one record of a transaction in a partition that became of it what stands says:
// odd, so that no small count makes it vanish.
func Weight(key Key, partition int32, stands Visibility) uint64 {
	x := mix(key.Ordinal + 0x9e3779b97f4a7c15)
	x = mix(x ^ uint64(key.Worker)<<32 ^ uint64(key.Number))
	return mix(x^uint64(uint32(partition))<<8^uint64(stands+1)) | 1
}

// mix is splitmix64's finaliser.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// txnKey names a transaction: the worker's life, and the ordinal in it.
type Key struct {
	Incarnation
	Ordinal uint64
}

// life is one incarnation of a worker.
type Incarnation struct {
	Worker uint16
	Number uint32
}

// sortedBlocks lists blocks by worker, incarnation and number.
func SortedBlocks(m map[Block]bool) []Block {
	all := make([]Block, 0, len(m))
	for b := range m {
		all = append(all, b)
	}
	slices.SortFunc(all, compareBlocks)
	return all
}

func compareBlocks(a, b Block) int {
	return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Number, b.Number))
}
