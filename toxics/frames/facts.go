package frames

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Facts are the things in a request's body that a filter can ask for.
type Facts struct {
	TransactionalIDs []string
	Topics           []string
	// TopicIDs replace names from Produce 13, Fetch 13, OffsetCommit 10 and TxnOffsetCommit 6 on.
	TopicIDs [][16]byte
	// Unanswered means that no response follows: Produce with acks=0.
	Unanswered bool
}

// Carries reports which of the facts the requests of an API can have. Requests to end a transaction, for example, name no
// topics, and WriteTxnMarkers names producers by number, not transactions by id.
func Carries(key int16) (transactionalID, topic bool) {
	switch kmsg.RequestForKey(key).(type) {
	case *kmsg.ProduceRequest, *kmsg.AddPartitionsToTxnRequest, *kmsg.TxnOffsetCommitRequest:
		return true, true
	case *kmsg.EndTxnRequest, *kmsg.InitProducerIDRequest, *kmsg.AddOffsetsToTxnRequest:
		return true, false
	case *kmsg.FetchRequest, *kmsg.OffsetCommitRequest, *kmsg.WriteTxnMarkersRequest, *kmsg.ConsumerGroupHeartbeatRequest:
		return false, true
	}
	return false, false
}

// ReadFacts reads a request's body: all bytes of the frame after its head. It returns an error if the version is unknown or the
// body is malformed.
func ReadFacts(head Request, body []byte) (Facts, error) {
	req := kmsg.RequestForKey(head.Key)
	if req == nil || head.Version > req.MaxVersion() {
		return Facts{}, fmt.Errorf("request %d version %d is not known", head.Key, head.Version)
	}
	req.SetVersion(head.Version)
	if req.IsFlexible() {
		var err error
		if body, err = afterTags(body); err != nil {
			return Facts{}, fmt.Errorf("head of request %d version %d: %w", head.Key, head.Version, err)
		}
	}
	if err := req.ReadFrom(body); err != nil {
		return Facts{}, fmt.Errorf("request %d version %d: %w", head.Key, head.Version, err)
	}
	return factsOf(req), nil
}

// afterTags skips the tagged fields that flexible heads end with.
func afterTags(b []byte) ([]byte, error) {
	r := kbin.Reader{Src: b}
	kmsg.SkipTags(&r)
	return r.Src, r.Complete()
}

func factsOf(req kmsg.Request) Facts {
	var f Facts
	switch r := req.(type) {
	case *kmsg.EndTxnRequest:
		f.transaction(&r.TransactionalID)
	case *kmsg.InitProducerIDRequest:
		f.transaction(r.TransactionalID)
	case *kmsg.AddOffsetsToTxnRequest:
		f.transaction(&r.TransactionalID)
	case *kmsg.ProduceRequest:
		f.ofProduce(r)
	case *kmsg.AddPartitionsToTxnRequest:
		f.ofAddPartitions(r)
	case *kmsg.TxnOffsetCommitRequest:
		f.transaction(&r.TransactionalID)
		for _, t := range r.Topics {
			f.topic(t.Topic, t.TopicID)
		}
	case *kmsg.OffsetCommitRequest:
		for _, t := range r.Topics {
			f.topic(t.Topic, t.TopicID)
		}
	case *kmsg.FetchRequest:
		for _, t := range r.Topics {
			f.topic(t.Topic, t.TopicID)
		}
	case *kmsg.WriteTxnMarkersRequest:
		for _, m := range r.Markers {
			for _, t := range m.Topics {
				f.topic(t.Topic, [16]byte{})
			}
		}
	case *kmsg.ConsumerGroupHeartbeatRequest:
		f.Topics = r.SubscribedTopicNames
	}
	return f
}

func (f *Facts) ofProduce(r *kmsg.ProduceRequest) {
	f.transaction(r.TransactionID)
	f.Unanswered = r.Acks == 0
	for _, t := range r.Topics {
		f.topic(t.Topic, t.TopicID)
	}
}

// ofAddPartitions reads both forms: clients send versions up to 3, with one transaction, brokers later ones.
func (f *Facts) ofAddPartitions(r *kmsg.AddPartitionsToTxnRequest) {
	f.transaction(&r.TransactionalID)
	for _, t := range r.Topics {
		f.topic(t.Topic, [16]byte{})
	}
	for _, txn := range r.Transactions {
		f.transaction(&txn.TransactionalID)
		for _, t := range txn.Topics {
			f.topic(t.Topic, [16]byte{})
		}
	}
}

func (f *Facts) transaction(id *string) {
	if id != nil && *id != "" {
		f.TransactionalIDs = append(f.TransactionalIDs, *id)
	}
}

func (f *Facts) topic(name string, id [16]byte) {
	if name != "" {
		f.Topics = append(f.Topics, name)
	}
	if id != ([16]byte{}) {
		f.TopicIDs = append(f.TopicIDs, id)
	}
}
