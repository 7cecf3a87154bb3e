package verifiers

import (
	"cmp"
	"slices"
)

// blockSize is how many transactions, by ordinal, share a sum.
const blockSize = 64

// block is one stretch of a worker's life: its transactions with ordinals from number times blockSize on.
type block struct {
	life
	number uint64
}

func blockOf(l life, ordinal uint64) block { return block{l, ordinal / blockSize} }

// blocks are what is kept of transactions that ended as they should: for each block the sum of its transactions' records
// by partition and fate, each count times a number drawn from what it counts. Sums of history and log that are the same
// say, but for one chance in 2^64, that every transaction of the block left in every partition what was confirmed of it,
// whatever order the records came in.
type blocks struct {
	sums map[block]uint64
	// suspects are blocks to look into, whatever their sums.
	suspects map[block]bool
}

func newBlocks() *blocks { return &blocks{map[block]uint64{}, map[block]bool{}} }

// expect adds what a transaction with a confirmed end must have left: outputs that are visible, or outputs that are
// aborted.
func (b *blocks) expect(l life, ordinal uint64, commit bool, confirmed map[int32]uint64) {
	stands := visible
	if !commit {
		stands = aborted
	}
	sum := uint64(0)
	for p, n := range confirmed {
		sum += n * weight(txnKey{l, ordinal}, p, stands)
	}
	b.sums[blockOf(l, ordinal)] += sum
}

// take adds records of a transaction that are in the log.
func (b *blocks) take(key txnKey, n, weight uint64) {
	b.sums[blockOf(key.life, key.ordinal)] += n * weight
}

func (b *blocks) suspect(l life, ordinal uint64) { b.suspects[blockOf(l, ordinal)] = true }

func (b *blocks) merge(o *blocks) {
	for k, sum := range o.sums {
		b.sums[k] += sum
	}
	for k := range o.suspects {
		b.suspects[k] = true
	}
}

// weight is the number that stands for one record of a transaction in a partition that became of it what stands says:
// odd, so that no small count makes it vanish.
func weight(key txnKey, partition int32, stands visibility) uint64 {
	x := mix(key.ordinal + 0x9e3779b97f4a7c15)
	x = mix(x ^ uint64(key.Worker)<<32 ^ uint64(key.Incarnation))
	return mix(x^uint64(uint32(partition))<<8^uint64(stands+1)) | 1
}

// mix is splitmix64's finaliser.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// txnKey names a transaction: the worker's life, and the ordinal in it.
type txnKey struct {
	life
	ordinal uint64
}

// life is one incarnation of a worker.
type life struct {
	Worker      uint16
	Incarnation uint32
}

// sortedBlocks lists blocks by worker, incarnation and number.
func sortedBlocks(m map[block]bool) []block {
	all := make([]block, 0, len(m))
	for b := range m {
		all = append(all, b)
	}
	slices.SortFunc(all, compareBlocks)
	return all
}

func compareBlocks(a, b block) int {
	return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Incarnation, b.Incarnation), cmp.Compare(a.number, b.number))
}
