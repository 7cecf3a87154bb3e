// Package source is the producing side of a run: the source that fills the shared input topic, and the producers under
// test. A source keeps an open-loop pace, intends records before it sends them, and records the outcome of each.
package source
