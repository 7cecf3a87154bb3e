// Package observe watches a run over links that no fault touches: it samples every partition's last stable offset and
// high watermark, reads every output topic live as a read_committed consumer, and names the transaction behind a
// standstill while it stands still.
package observe
