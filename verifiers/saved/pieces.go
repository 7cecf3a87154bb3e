package saved

// Pieces bound how much is held in memory at once. What is more takes another pass over the files, so counts stay exact.
type Pieces struct {
	// Copies is how many duplicated inputs have their copies compared at once.
	Copies int
	// Blocks is how many blocks of transactions are looked into at once.
	Blocks int
	// Section is how many batches of a log share a section.
	Section int
}

// DefaultPieces are those of every judgement; tests use smaller ones, so that little takes several passes too.
func DefaultPieces() Pieces { return Pieces{Copies: 50_000, Blocks: 128, Section: 512} }
