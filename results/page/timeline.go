package page

// Timeline is what the page draws. Times are seconds from the start of the load, or of the run where that never began.
type Timeline struct {
	From      float64    `json:"from"`
	To        float64    `json:"to"`
	Faults    []Band     `json:"faults"`
	Pipelines []Pipeline `json:"pipelines"`
	Leaders   []Leaders  `json:"leaders"`
	Members   []Member   `json:"members"`
	// Explain is the command that prints a record's life, without the record.
	Explain string `json:"explain"`
}

// Band is a time on the axis: a fault's, or a stall's.
type Band struct {
	From float64 `json:"from"`
	// To is nil where it had not ended.
	To *float64 `json:"to"`
	// Name is short: the fault's, or the transaction's. Text is the whole story.
	Name string `json:"name"`
	Text string `json:"text"`
}

// Pipeline is one pipeline's series, all over the same times.
type Pipeline struct {
	Name string `json:"name"`
	// Verdict is in words, Outcome the class that it is drawn in (results.Outcome).
	Verdict string    `json:"verdict"`
	Outcome string    `json:"outcome"`
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

// Leaders are the leaders of one partition, and whether every replica was in sync.
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
	// Dim marks a time in which a replica is out of sync.
	Dim bool `json:"dim,omitempty"`
}

// Member is one source or worker, and its incarnations.
type Member struct {
	Member string       `json:"member"`
	Spans  []MemberSpan `json:"spans"`
}

// MemberSpan is a time in which a member was up, killed or paused.
type MemberSpan struct {
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
	// Total is how many the report counts. There may be fewer markers.
	Total uint64 `json:"total"`
	// At are their times, Records their records as source/sequence ("" for a transaction that left none).
	At      []float64 `json:"at"`
	Records []string  `json:"records"`
	// Details are what the page says of them, by their index in At: of all where there are not too many.
	Details map[int]Detail `json:"details"`
}

// Detail is what a page says of one anomaly.
type Detail struct {
	// Text is a sentence. Life is the record's life as chaeos explain prints it ("" the anomaly has no record).
	Text string `json:"text"`
	Life string `json:"life"`
}

// NewTimeline returns an empty timeline.
func NewTimeline(from, to float64) *Timeline {
	return &Timeline{From: from, To: to, Faults: []Band{}, Pipelines: []Pipeline{}, Leaders: []Leaders{}, Members: []Member{}}
}

// Whole returns the pipeline with empty series in place of nil ones, as the page's script expects them.
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
