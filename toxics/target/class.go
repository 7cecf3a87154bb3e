package target

import "strings"

// Class is a set of what a target can select.
type Class int

// The classes.
const (
	Brokers Class = 1 << iota
	Workers
	Partitions
	Groups
	// Sources are the producers of producer-only pipelines.
	Sources
	// Service is the external service.
	Service
)

// classNames are the classes in words, in order.
var classNames = []string{"brokers", "workers", "partitions", "groups", "sources", "the external service"}

// Has reports whether the set has everything that the other has.
func (c Class) Has(other Class) bool { return c&other == other }

func (c Class) String() string {
	var words []string
	for i, name := range classNames {
		if c.Has(1 << i) {
			words = append(words, name)
		}
	}
	return strings.Join(words, " or ")
}
