package kafkatoxic

import (
	"sync"

	"github.com/Shopify/toxiproxy/v2/toxics"
)

// exchange is what the toxics of one server share: an answer comes back through another toxic than its request went
// through, and a retry may go through another proxy's.
type exchange struct {
	tickets tickets
	budgets budgets
}

func newExchange() *exchange {
	return &exchange{tickets{open: map[int32]ticket{}}, budgets{byShare: map[string]*budget{}}}
}

// sharing finds the exchange of a toxic. Toxiproxy makes each toxic as a zero value of the type that was registered, and has
// one registry for a process: what toxics share is at the registered one.
type sharing struct {
	once sync.Once
	with *exchange
}

func (s *sharing) exchange() *exchange {
	s.once.Do(func() {
		if s.with != nil {
			return
		}
		s.with = newExchange() // for a toxic that no server made
		if registered, ok := toxics.ToxicRegistry[RequestType].(*RequestToxic); ok {
			s.with = registered.with
		}
	})
	return s.with
}
