package page

// Timeline is what the page draws. Times are seconds from the start of the load.
type Timeline struct {
	From      float64    `json:"from"`
	To        float64    `json:"to"`
	Faults    []Band     `json:"faults"`
	Pipelines []Pipeline `json:"pipelines"`
	Leaders   []Leaders  `json:"leaders"`
	Lives     []Life     `json:"lives"`
	// Explain is the command that tells a record's life, up to the record.
	Explain string `json:"explain"`
}

// Band is something that lasted: a fault, or a stall.
type Band struct {
	From float64 `json:"from"`
	// To is nil where it had not ended.
	To *float64 `json:"to"`
	// Name is short: the fault's, or the transaction's. Text is all there is to say.
	Name string `json:"name"`
	Text string `json:"text"`
}

// Pipeline is one pipeline's series, all over the same times.
type Pipeline struct {
	Name    string    `json:"name"`
	Verdict string    `json:"verdict"`
	Times   []float64 `json:"times"`
	// Acked and Visible are records a second.
	Acked   []Value `json:"acked"`
	Visible []Value `json:"visible"`
	// P50, P99 and Max are end-to-end latencies in milliseconds of what became visible.
	P50 []Value `json:"p50"`
	P99 []Value `json:"p99"`
	Max []Value `json:"max"`
	// Lag is, by output partition, how far the last stable offset is behind the high watermark, in offsets.
	Lag     []Lag    `json:"lag"`
	Stalls  []Band   `json:"stalls"`
	Markers []Marked `json:"markers"`
}

// Value is a point of a series, or nil where nothing was observed.
type Value *float64

// Lag is one partition's distance from its high watermark to its last stable offset.
type Lag struct {
	Partition int32   `json:"partition"`
	Values    []Value `json:"values"`
}

// Leaders is who led one partition, and whether every replica was in sync.
type Leaders struct {
	// Partition is topic/partition.
	Partition string       `json:"partition"`
	Spans     []LeaderSpan `json:"spans"`
}

// LeaderSpan is a time with the same leader and in-sync replicas. Leader is -1 while there is none.
type LeaderSpan struct {
	From   float64  `json:"from"`
	To     *float64 `json:"to"`
	Leader int32    `json:"leader"`
	Text   string   `json:"text"`
	Tip    string   `json:"tip"`
	// Dim says that a replica is out of sync.
	Dim bool `json:"dim,omitempty"`
}

// Life is one member's incarnations.
type Life struct {
	Member string     `json:"member"`
	Spans  []LifeSpan `json:"spans"`
}

// LifeSpan is a time in which a member was up, killed or paused.
type LifeSpan struct {
	From  float64  `json:"from"`
	To    *float64 `json:"to"`
	State string   `json:"class"`
	Text  string   `json:"text"`
	Tip   string   `json:"tip"`
}

// Marked are a pipeline's anomalies of one kind, in the order of their times.
type Marked struct {
	// Kind is duplicate, lost, torn, or another anomaly's name.
	Kind string `json:"kind"`
	// Total is how many the report counts: more than there are markers where it is a great many.
	Total uint64 `json:"total"`
	// At are their times, Records their records as source/sequence ("" for a transaction that left none).
	At      []float64 `json:"at"`
	Records []string  `json:"records"`
	// Told are those of which the page carries more, by their number in At: all of them where there are not too many.
	Told map[int]Told `json:"told"`
}

// Told is what a page says of one anomaly.
type Told struct {
	// Text says it in a sentence, Life is the record's life as chaeos explain tells it ("" it has no record).
	Text string `json:"text"`
	Life string `json:"life"`
}

// NewTimeline is a timeline without anything on it.
func NewTimeline(from, to float64) *Timeline {
	return &Timeline{From: from, To: to, Faults: []Band{}, Pipelines: []Pipeline{}, Leaders: []Leaders{}, Lives: []Life{}}
}

// Whole is the pipeline with empty series where it has none, as the page's script expects them.
func (p Pipeline) Whole() Pipeline {
	if p.Times == nil {
		p.Times = []float64{}
	}
	for _, s := range []*[]Value{&p.Acked, &p.Visible, &p.P50, &p.P99, &p.Max} {
		if *s == nil {
			*s = []Value{}
		}
	}
	if p.Lag == nil {
		p.Lag = []Lag{}
	}
	if p.Stalls == nil {
		p.Stalls = []Band{}
	}
	if p.Markers == nil {
		p.Markers = []Marked{}
	}
	return p
}
