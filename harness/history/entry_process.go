package history

// Process is the first entry of every file: whose history it is.
type Process struct {
	Stamp
	Run RunID
	// Name is the process ("transactional-0", "source-input"); Role is source, worker, service or harness.
	Name, Role string
	// Pipeline is the pipeline's name, empty for the shared source and the harness.
	Pipeline string
	// Number is the worker's or the source's number.
	Number      uint16
	Incarnation uint32
	Pid         int64
}

func (*Process) kind() kind { return 1 }

func (e *Process) fields(c *codec) {
	unsigned(c, &e.Run)
	c.string(&e.Name)
	c.string(&e.Role)
	c.string(&e.Pipeline)
	unsigned(c, &e.Number)
	unsigned(c, &e.Incarnation)
	integer(c, &e.Pid)
}

// The names of marks that mean something to the judge.
const (
	// MarkDataLoss: the live reader's client learned that the log was cut off below where it had read.
	MarkDataLoss = "data-loss"
	// MarkSequences: the live reader counts an input as new by its sequence too, not only by its offset.
	MarkSequences = "sequences"
)

// Mark is a named moment of the run: a phase's start, a note.
type Mark struct {
	Stamp
	Name string
	Text string
}

func (*Mark) kind() kind { return 19 }

func (e *Mark) fields(c *codec) {
	c.string(&e.Name)
	c.string(&e.Text)
}

// End closes a file in order. A file without it was cut, or its writer was killed.
type End struct{ Stamp }

func (*End) kind() kind { return 20 }

func (*End) fields(*codec) {}
