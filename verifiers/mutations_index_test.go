package verifiers_test

import (
	"slices"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/observation"
)

func onIndex(do func(m *mutant, x *observation.Partition) bool) func(*mutant) bool {
	return func(m *mutant) bool {
		topics := m.row.Outputs()
		if m.input = !m.row.ProducerOnly && m.IntN(3) == 0; m.input {
			topics = []string{m.record.Plan.Input}
		}
		return do(m, m.index.Partition(pick(m, topics), int32(m.IntN(m.record.Plan.Partitions))))
	}
}

// indexMutations change what the brokers said of the logs.
var indexMutations = []mutation{
	{"a partition that was not read back", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		m.index.Partitions = slices.DeleteFunc(m.index.Partitions, func(p observation.Partition) bool { return p.Topic == x.Topic && p.Partition == x.Partition })
		return true
	})},
	{"a read-back that is not complete", nil, "", onIndex(func(_ *mutant, x *observation.Partition) bool { x.Complete = false; return true })},
	{"an end beyond the file", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		x.HW += int64(1 + m.IntN(50))
		x.HWAfter = x.HW
		return true
	})},
	{"an end before the file's", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		if x.HW == 0 {
			return false
		}
		x.HW -= 1 + m.Int64N(x.HW)
		x.HWAfter, x.LSO, x.LSOAfter = x.HW, x.HW, x.HW
		return true
	})},
	{"a log that starts later", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		x.LogStart += int64(1 + m.IntN(50))
		return x.HW > x.LogStart
	})},
	{"an end that moved", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool { x.HWAfter = x.HW + 1; return true })},
	{"a last stable offset that moved", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool { x.LSOAfter = x.LSO + 1; return true })},
	{"a last stable offset below the end", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		x.LSO, x.LSOAfter = x.LSO/2, x.LSO/2
		return x.LSO > 0 && x.HW > 1
	})},
	{"other totals than the file's", nil, "", onIndex(func(m *mutant, x *observation.Partition) bool {
		x.Records += uint64(1 + m.IntN(5))
		return true
	})},
	{"a client that saw fewer", nil, "", onIndex(func(_ *mutant, x *observation.Partition) bool {
		x.Client.Count--
		return x.Committed.Count > 0 && len(x.Checked) == 0
	})},
	{"an aborted transaction that the log doesn't have", nil, "", onIndex(func(_ *mutant, x *observation.Partition) bool {
		x.BrokerAborted = append(x.BrokerAborted, observation.Aborted{ProducerID: 77, First: 3, Last: -1})
		return true
	})},
	{"a committed offset that is not given", nil, "", onOffset(func(m *mutant, i int) bool {
		m.index.Positions = slices.Delete(m.index.Positions, i, i+1)
		return true
	})},
	{"a committed offset that went back", doubling, "", onOffset(func(m *mutant, i int) bool {
		p := &m.index.Positions[i]
		p.Offset /= 2
		return p.Offset > 0
	})},
	{"a committed offset beyond the input", nil, "", onOffset(func(m *mutant, i int) bool {
		m.index.Positions[i].Offset += 1000
		return true
	})},
	{"a read-back that did not finish", nil, "", func(m *mutant) bool { m.index.Finished = false; return true }},
	{"no partition read back", nil, "", func(m *mutant) bool { m.index.Partitions = nil; return true }},
}

func onOffset(do func(m *mutant, i int) bool) func(*mutant) bool {
	return func(m *mutant) bool {
		var all []int
		for i, p := range m.index.Positions {
			if p.Group == m.row.Group && m.row.Group != "" {
				all = append(all, i)
			}
		}
		return len(all) > 0 && do(m, pick(m, all))
	}
}

// onlyDigest: run.json is believed as it is, unless the folder has a digest that was made with it.
const onlyDigest = "only the digest of the folder tells it: the rest of the folder is the same in a run that was so"

// runMutations change the run's record.
var runMutations = []mutation{
	{"no plan", nil, "", func(m *mutant) bool { m.record.Plan = harness.TopicPlan{}; return true }},
	{"fewer partitions", nil, "", func(m *mutant) bool { m.record.Plan.Partitions--; return true }},
	{"more partitions", nil, "", func(m *mutant) bool { m.record.Plan.Partitions++; return true }},
	{"no input topic", nil, "", func(m *mutant) bool { m.record.Plan.Input = ""; return !m.row.ProducerOnly }},
	{"another run", nil, "", func(m *mutant) bool { m.record.RunID++; return true }},
	{"an incident", nil, "", func(m *mutant) bool { m.record.Incidents = []string{"broker 2 died"}; return true }},
	{"a history more", nil, "", func(m *mutant) bool {
		m.input = true
		h := m.record.Histories[m.anyHistory()]
		h.File += ".2"
		m.record.Histories = append(m.record.Histories, h)
		return true
	}},
	{"a history's entry dropped", nil, "", func(m *mutant) bool {
		i := m.anyHistory()
		m.input = true
		m.record.Histories = slices.Delete(m.record.Histories, i, i+1)
		return true
	}},
	{"a history that is said to be longer", nil, "", func(m *mutant) bool {
		m.input = true
		m.record.Histories[m.anyHistory()].Bytes++
		return true
	}},
	{"a row dropped", nil, "", func(m *mutant) bool {
		m.record.Plan.Pipelines = slices.DeleteFunc(m.record.Plan.Pipelines, func(l harness.PipelineLayout) bool { return l.Name == m.row.Name })
		return len(m.record.Plan.Pipelines) > 0
	}},
	{"a fault that was not healed", nil, "", func(m *mutant) bool {
		if len(m.record.Faults) == 0 {
			return false
		}
		f := &m.record.Faults[0]
		healed := f.Healed > 0
		f.Healed = 0
		return healed
	}},
	{"other expectations", nil, onlyDigest, func(m *mutant) bool { m.record.Expect = nil; return true }},
	{"another level of transaction.version", nil, onlyDigest, func(m *mutant) bool { m.record.Features = nil; return true }},
}

// anyHistory is the number of a history that the row rests on: its own, or one of every row.
func (m *mutant) anyHistory() int {
	var all []int
	for i, h := range m.record.Histories {
		if h.Pipeline == "" || h.Pipeline == m.row.Name {
			all = append(all, i)
		}
	}
	return pick(m, all)
}
