package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/together"
)

// Timeout bounds one question to one broker unless Within says otherwise: a paused broker accepts and never answers.
const Timeout = 2 * time.Second

// Brokers are the brokers that questions go to.
type Brokers struct {
	client *kgo.Client
	nodes  []int
	// seeds means that nodes count the client's bootstrap addresses.
	seeds  bool
	within time.Duration
}

// Of asks the given nodes through a client. A node that the others have fenced is gone from the client's metadata and can't
// be asked by its number: dial it at an address known from before (verifiers/observe does).
func Of(client *kgo.Client, nodes ...int) Brokers {
	return Brokers{client: client, nodes: nodes, within: Timeout}
}

// Seeds asks the client's bootstrap addresses, over the connections that they name: what the brokers advertise doesn't
// matter. Nodes are then numbered from 0, in the order of the addresses.
func Seeds(client *kgo.Client) Brokers {
	b := Brokers{client: client, seeds: true, within: Timeout}
	for i := range client.SeedBrokers() {
		b.nodes = append(b.nodes, i)
	}
	return b
}

// Only returns the same with fewer nodes.
func (b Brokers) Only(nodes ...int) Brokers {
	b.nodes = nodes
	return b
}

// Within returns the same with another bound on one question to one broker.
func (b Brokers) Within(bound time.Duration) Brokers {
	b.within = bound
	return b
}

// Nodes are the brokers that are asked.
func (b Brokers) Nodes() []int { return b.nodes }

// One asks one broker, without retries.
func One[R kmsg.Response](ctx context.Context, b Brokers, node int, req kmsg.Request) (R, error) {
	var none R
	bounded, cancel := context.WithTimeout(ctx, b.within)
	defer cancel()
	resp, err := b.broker(node).Request(bounded, req)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		err = fmt.Errorf("no answer within %s: %w", b.within, err)
	}
	if err != nil {
		return none, b.failed(node, req, "", noAnswer(err))
	}
	answer, ok := resp.(R)
	if !ok {
		return none, b.failed(node, req, "", fmt.Errorf("it was answered with a %T", resp))
	}
	return answer, nil
}

// First asks the nodes in turn until one answers, and returns its answer.
func First[R kmsg.Response](ctx context.Context, b Brokers, req kmsg.Request) (R, error) {
	return firstThat(ctx, b, req, func(int, R) error { return nil })
}

// firstThat is First for an answer that take accepts: a broker may answer that it doesn't know.
func firstThat[R kmsg.Response](ctx context.Context, b Brokers, req kmsg.Request, take func(node int, answer R) error) (R, error) {
	var errs []error
	for _, node := range b.nodes {
		answer, err := One[R](ctx, b, node, req)
		if err == nil {
			err = take(node, answer)
		}
		if err == nil {
			return answer, nil
		}
		if errs = append(errs, err); ctx.Err() != nil {
			break // the others would only say so too
		}
	}
	var none R
	return none, noneAnswered(errs)
}

// noneAnswered is the error of a question that no broker answered.
func noneAnswered(errs []error) error {
	if len(errs) == 0 {
		return errNoBroker
	}
	return &failures{errs}
}

var errNoBroker = errors.New("there is no broker to ask")

// Answer is what one of several brokers answered, or why it didn't.
type Answer[R kmsg.Response] struct {
	Node     int
	Response R
	Err      error
}

// All asks every node at once, and returns their answers in the order of the nodes. Each gets a request of its own: sending
// sets a request's version.
func All[R kmsg.Response](ctx context.Context, b Brokers, question func() kmsg.Request) []Answer[R] {
	responses, errs := together.Ask(b.nodes, func(node int) (R, error) { return One[R](ctx, b, node, question()) })
	var answers []Answer[R]
	for i, node := range b.nodes {
		answers = append(answers, Answer[R]{node, responses[i], errs[i]})
	}
	return answers
}

// answered leaves out who did not answer. The error is nil unless no broker did.
func answered[R kmsg.Response](answers []Answer[R]) ([]Answer[R], error) {
	var got []Answer[R]
	var errs []error
	for _, a := range answers {
		if a.Err != nil {
			errs = append(errs, a.Err)
			continue
		}
		got = append(got, a)
	}
	if len(got) == 0 {
		return nil, noneAnswered(errs)
	}
	return got, nil
}

func (b Brokers) broker(node int) *kgo.Broker {
	if b.seeds {
		return b.client.SeedBrokers()[node]
	}
	return b.client.Broker(node)
}

// Pin keeps a request from being sent in a newer version: some later ones lack what is asked for, or name topics only by id.
func Pin(req kmsg.Request, version int16) kmsg.Request { return pinned{req, version} }

type pinned struct {
	kmsg.Request
	version int16
}

// MaxVersion is what the client goes by when it chooses a version.
func (p pinned) MaxVersion() int16 { return p.version }
