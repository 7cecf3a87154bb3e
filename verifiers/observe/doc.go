// Package observe watches a run over links that no fault touches. It samples every partition's last stable offset (LSO) and
// high watermark, reads every output topic live as a read_committed consumer, and names the transaction that holds an LSO
// back while it does.
package observe
