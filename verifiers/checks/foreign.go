package checks

import (
	"strings"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/checks/kit"
	"github.com/chaeos/chaeos/verifiers/logs"
	"github.com/chaeos/chaeos/verifiers/rows"
	"github.com/chaeos/chaeos/verifiers/words"
)

var foreign = kit.Check{
	Name:    "foreign",
	About:   "counts visible output records that are not this run's, or of an input that the source never sent",
	Control: "records at the tail that were never sent",
	Numbers: []harness.Number{
		{
			Key: "foreign", Header: "FOREIGN", Show: harness.WhenNonZero,
			Means:  "Visible output records that are not this run's, or are of an input that the source never sent.",
			Unseen: "who wrote them, beyond the batch's producer id.",
		},
	},
	Begin: func(*rows.Subject) kit.Counting { return &foreignCount{} },
}

type foreignCount struct{ out, in []*kinds }

// Output implements OutputReader.
func (c *foreignCount) Output(*logs.Partition) logs.Reader { return newKinds(&c.out) }

// Input implements InputReader.
func (c *foreignCount) Input(*logs.Partition) logs.Reader { return newKinds(&c.in) }

// Finish implements Counting.
func (c *foreignCount) Finish(f *kit.Facts, n *harness.Numbers) []kit.Finding {
	out, in := total(c.out), total(c.in)
	n.Set("foreign", out.foreign)
	var found []kit.Finding
	if out.foreign > 0 {
		found = kit.Doubt("%s output records are not this run's: somebody else wrote to %s", words.Number(out.foreign), strings.Join(f.Layout.Outputs(), " or "))
	}
	if in.foreignInAll > 0 {
		found = append(found, kit.Doubt("%s input records are not this run's", words.Number(in.foreignInAll))...)
	}
	return found
}
