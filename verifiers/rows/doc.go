// Package rows puts what the histories say of one pipeline next to what its logs hold: what it had to deliver, and what became
// of each input. What differs between kinds of pipelines (workers of a group or a share group, a source under test, side
// effects) is a strategy here, so that causes and checks ask a row and not its layout.
package rows
