package verifiers

import (
	"encoding/json"
	"time"

	"github.com/chaeos/chaeos/harness"
)

// figures are the numbers that the tests know by heart, by the names that reports give them: a second list, which says what each
// name must be. A check that is not in the oracle needs no place here, but a control.
type figures struct {
	Input                  uint64            `json:"input"`
	Unique                 uint64            `json:"unique"`
	Duplicates             uint64            `json:"duplicates"`
	DuplicatedInputs       uint64            `json:"duplicatedInputs"`
	DuplicatesBy           map[string]uint64 `json:"duplicatesBy,omitempty"`
	Lost                   uint64            `json:"lost"`
	LostBy                 map[string]uint64 `json:"lostBy,omitempty"`
	Unprocessed            uint64            `json:"unprocessed"`
	Hidden                 uint64            `json:"hidden"`
	Hanging                uint64            `json:"hanging"`
	Unknown                uint64            `json:"unknown"`
	UnknownHappened        uint64            `json:"unknownHappened"`
	UnknownDidNot          uint64            `json:"unknownDidNot"`
	UnknownCommits         uint64            `json:"unknownCommits"`
	UnknownCommitsHappened uint64            `json:"unknownCommitsHappened"`
	Phantom                uint64            `json:"phantom"`
	Torn                   *uint64           `json:"torn"`
	CommittedNotSeen       *uint64           `json:"committedNotSeen"`
	AbortedSeen            *uint64           `json:"abortedSeen"`
	Split                  *uint64           `json:"split,omitempty"`
	Contradicted           *uint64           `json:"contradicted"`
	Reordered              uint64            `json:"reordered"`
	Corrupt                uint64            `json:"corrupt"`
	Foreign                uint64            `json:"foreign"`
	Unmatched              uint64            `json:"unmatched,omitempty"`
	SecondCopies           uint64            `json:"secondCopies,omitempty"`
	OffsetsWentBack        uint64            `json:"offsetsWentBack"`
	AckedAbsent            uint64            `json:"ackedAbsent"`
	IdentityTwice          uint64            `json:"identityTwice"`
	AckedAbsentBy          map[string]uint64 `json:"ackedAbsentBy,omitempty"`

	LSOStalls        *uint64        `json:"lsoStalls"`
	LongestStall     *time.Duration `json:"longestStall"`
	TotalStall       *time.Duration `json:"totalStall"`
	NoProgress       *time.Duration `json:"noProgress"`
	NoProgressIn     int32          `json:"noProgressIn"`
	Recovery         *time.Duration `json:"recovery"`
	RecoveryFromHeal *time.Duration `json:"recoveryFromHeal"`
	P50              *time.Duration `json:"p50"`
	P99              *time.Duration `json:"p99"`
	NeverLive        uint64         `json:"neverLive"`
}

func figuresOf(n harness.Numbers) (f figures) {
	data, err := json.Marshal(n)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		panic(err)
	}
	return f
}
