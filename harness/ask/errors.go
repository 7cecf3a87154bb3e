package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Error is why a broker did not answer a question, or what it refused it with.
type Error struct {
	// Broker is who was asked ("broker 2"), Request the kind of request ("ListOffsets").
	Broker, Request string
	// About is what the question was about ("out/0"), "" where the request says it all.
	About string
	// Err is the connection's error, or that of the answer's code (kerr).
	Err error
}

// Error says who was asked what, what went wrong, and what to do where that is known.
func (e *Error) Error() string {
	if hint := hint(e.Err); hint != "" {
		return e.text() + " (" + hint + ")"
	}
	return e.text()
}

func (e *Error) text() string {
	question := e.Request
	if e.About != "" {
		question += " of " + e.About
	}
	return fmt.Sprintf("%s, %s: %s", e.Broker, question, strings.TrimSuffix(e.Err.Error(), "."))
}

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

func (b Brokers) failed(node int, req kmsg.Request, about string, err error) error {
	if err == nil {
		return nil
	}
	name := fmt.Sprintf("broker %d", node)
	if b.seeds {
		name = fmt.Sprintf("bootstrap broker %d", node)
	}
	return &Error{name, kmsg.NameForKey(req.Key()), about, err}
}

// refused is the error of an answer's code, with the broker's own words where it has some. It is nil for code 0.
func (b Brokers) refused(node int, req kmsg.Request, about string, code int16, message *string) error {
	return b.failed(node, req, about, CodeError(code, message))
}

// CodeError is the error of an answer's code, with the broker's own words where it has some. It is nil for code 0.
func CodeError(code int16, message *string) error {
	err := kerr.ErrorForCode(code)
	if err != nil && message != nil && *message != "" {
		return fmt.Errorf("%w (%s)", err, *message)
	}
	return err
}

// errLeftOut is a part of an answer that was asked for and isn't there.
var errLeftOut = errors.New("its answer leaves this out; ask again")

// hints say what to do about the errors of answers.
var hints = []struct {
	errs []error
	hint string
}{
	{
		[]error{kerr.NotLeaderForPartition, kerr.FencedLeaderEpoch, kerr.UnknownLeaderEpoch, kerr.LeaderNotAvailable, kerr.ReplicaNotAvailable},
		"the leader is moving: look it up again, then ask it",
	},
	{
		[]error{kerr.NotCoordinator, kerr.CoordinatorNotAvailable, kerr.CoordinatorLoadInProgress},
		"the coordinator is elsewhere or loading: look it up again, then ask it",
	},
	{
		[]error{kerr.UnknownTopicOrPartition, kerr.UnknownTopicID},
		"the topic is not there, or this broker has not heard of it yet: check the name, or ask again",
	},
	{[]error{kerr.UnstableOffsetCommit}, "a transaction still holds the offset: ask again once it has ended"},
	{[]error{kerr.UnsupportedVersion}, "this Kafka can't answer that: use a newer version"},
}

// hint is what to do about an error, or "".
func hint(err error) string {
	for _, h := range hints {
		for _, known := range h.errs {
			if errors.Is(err, known) {
				return h.hint
			}
		}
	}
	var silence *silence
	if errors.As(err, &silence) {
		return "it is down, paused, cut off or fenced: ask another broker, or this one after the heal"
	}
	return ""
}

// silence is why no answer came from a broker.
type silence struct{ error }

func (s *silence) Unwrap() error { return s.error }

// noAnswer tells a broker that can't be reached from one that doesn't know the request. The client library has errors for
// the latter, but exports none.
func noAnswer(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	for _, unknown := range []string{"broker is too old", "request key is unknown"} {
		if strings.HasPrefix(err.Error(), unknown) {
			return fmt.Errorf("%w: %w", kerr.UnsupportedVersion, err)
		}
	}
	return &silence{err}
}

// failures are the errors of several brokers, in one line.
type failures struct{ errs []error }

// Error joins them. What to do is said once where it is the same.
func (f *failures) Error() string {
	var texts []string
	for i, err := range f.errs {
		text := err.Error()
		var one *Error
		if errors.As(err, &one) && i+1 < len(f.errs) && hint(err) == hint(f.errs[i+1]) {
			text = one.text()
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "; ")
}

// Unwrap makes errors.Is and errors.As look at each.
func (f *failures) Unwrap() []error { return f.errs }
