package local

import (
	"time"

	"github.com/chaeos/chaeos/harness"
)

// plan is what a starter asks of its keeper: the first JSON value on the keeper's standard input.
type plan struct {
	Kafka       kafka             `json:"kafka"`
	Topology    harness.Topology  `json:"topology"`
	Properties  map[string]string `json:"properties,omitempty"`
	LogDir      string            `json:"logDir"`
	RuntimeRoot string            `json:"runtimeRoot"`
	ReadyWithin time.Duration     `json:"readyWithin"`
}

// detachWord follows the plan if the cluster is to outlive its starter. Until it arrives, the end of the keeper's
// standard input ends the cluster: a starter killed half-way through leaves nothing either.
const detachWord = "detach\n"

// event is one line of the keeper's standard output. The last one is Ready or Failure.
type event struct {
	Dir      string       `json:"dir,omitempty"`
	Progress string       `json:"progress,omitempty"`
	Ready    *description `json:"ready,omitempty"`
	Failure  *StartError  `json:"failure,omitempty"`
}

// description is how a keeper describes its cluster.
type description struct {
	Info   harness.ClusterInfo `json:"info"`
	Direct harness.Dials       `json:"direct"`
	Links  []harness.Link      `json:"links"`
}
