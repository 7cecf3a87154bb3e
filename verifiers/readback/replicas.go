package readback

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness/ask"
	"github.com/chaeos/chaeos/harness/wait"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/observation"
)

// Followers answer consumers from their own logs, up to the high watermark that they know of, since Fetch version 11 (KIP-392):
// ReplicaManager asks for the leader only if the request has no client metadata, which every request of that version has
// (kafka.server.KafkaApis.handleFetchRequest, org.apache.kafka.server.storage.log.FetchParams.fetchOnlyLeader). So the files of a
// stopped broker are not needed, and both providers are read alike.

// compareReplicas reads the other in-sync replicas of every log that was read, and compares them with it, batch by batch.
func (r *reading) compareReplicas(ctx context.Context) error {
	defer r.buffers.drop()
	begin := time.Now()
	md, _, err := r.brokers.Newest(ctx, topics(r.spec.Plan)...)
	if err != nil {
		return err
	}
	err = r.each(ctx, func(ctx context.Context, p *observation.Partition) error {
		r.compareWith(ctx, md, p)
		return nil
	})
	r.index.Replicas = &observation.ReplicasRead{TookMillis: time.Since(begin).Milliseconds()}
	return err
}

// compareWith compares one log with its other replicas.
func (r *reading) compareWith(ctx context.Context, md ask.Metadata, p *observation.Partition) {
	state, known := md.Topics[p.Topic][p.Partition]
	read := r.fingerprints[tpOf(p)]
	if !known || !p.Complete || read == nil {
		return // why is said elsewhere
	}
	for _, broker := range state.Replicas {
		if broker == p.Leader {
			continue
		}
		replica := observation.Replica{Broker: broker, Reached: p.LogStart, OutOfSync: !slices.Contains(state.ISR, broker)}
		if !replica.OutOfSync {
			at := ask.Leader{Node: int(broker), Epoch: state.LeaderEpoch, TopicID: md.TopicIDs[p.Topic], Address: md.Addresses[int(broker)]}
			if err := r.compareOne(ctx, p, at, read, &replica); err != nil {
				replica.Failure = err.Error()
			}
		}
		p.Replicas = append(p.Replicas, replica)
	}
}

func (r *reading) compareOne(ctx context.Context, p *observation.Partition, follower ask.Leader, read *fingerprint, replica *observation.Replica) error {
	var other fingerprint
	if err := r.readReplica(ctx, p, follower, &other, replica); err != nil {
		return err
	}
	for _, number := range read.differing(&other) {
		if err := r.findForks(ctx, p, follower, number, replica); err != nil {
			return err
		}
	}
	return nil
}

// readReplica reads a follower's log up to the end that was captured at the leader. A follower learns of a high watermark with its
// next fetch, so that it may have to be asked for the last records again.
func (r *reading) readReplica(ctx context.Context, p *observation.Partition, follower ask.Leader, d *fingerprint, replica *observation.Replica) error {
	progress := time.Now()
	for replica.Reached < p.HW {
		before := replica.Reached
		err := r.streamReplica(ctx, p, follower, d, replica)
		if replica.Reached > before {
			progress = time.Now()
		}
		if err == nil {
			continue
		}
		if time.Since(progress) > replicaPatience || ctx.Err() != nil {
			return fmt.Errorf("read up to offset %d of %d: %w", replica.Reached, p.HW, errors.Join(context.Cause(ctx), err))
		}
		_ = wait.Sleep(ctx, retryEvery) // the loop looks at the context itself
	}
	return nil
}

// replicaPatience is how long a follower may make no progress: longer than it takes to hear of a high watermark.
const replicaPatience = 10 * time.Second

func (r *reading) streamReplica(ctx context.Context, p *observation.Partition, follower ask.Leader, d *fingerprint, replica *observation.Replica) error {
	conn, err := brokers.Dial(ctx, r.spec.Cluster.Direct(), follower.Address, clientID, requestTimeout)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", tpOf(p), err)
	}
	a := newAhead(conn, follower, p, replica.Reached, &r.buffers)
	a.lso = 0 // at isolation level 0: what is compared is everything
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, conn.Close)
	go a.run(ctx)
	defer a.recycle()
	defer cancel()
	for got := range a.full {
		if got.err != nil {
			return got.err
		}
		if replica.Reached, err = skim(got.batches, replica.Reached, p.HW, d.add); err != nil {
			return err
		}
		a.free <- got.buffer
	}
	return nil
}

// findForks reads one segment of both logs again, and notes what differs.
func (r *reading) findForks(ctx context.Context, p *observation.Partition, follower ask.Leader, number int64, replica *observation.Replica) error {
	var here map[int64]observation.Copy
	err := r.leaders.ask(ctx, tpOf(p), func(leader ask.Leader) (err error) {
		here, err = r.batchesOf(ctx, p, leader, number)
		return err
	})
	if err != nil {
		return fmt.Errorf("read offset %d again: %w", number*segmentOffsets, err)
	}
	there, err := r.batchesOf(ctx, p, follower, number)
	if err != nil {
		return fmt.Errorf("read offset %d again: %w", number*segmentOffsets, err)
	}
	replica.Compare(here, there)
	return nil
}

// batchesOf reads the batches of one segment, by their first offsets.
func (r *reading) batchesOf(ctx context.Context, p *observation.Partition, from ask.Leader, number int64) (map[int64]observation.Copy, error) {
	all := map[int64]observation.Copy{}
	next, end := max(p.LogStart, number*segmentOffsets), min(p.HW, (number+1)*segmentOffsets)
	for next < end {
		got, err := fetch(ctx, r.brokers, from, question{tp: tpOf(p), offset: next})
		if err != nil {
			return nil, err
		}
		before := next
		next, err = skim(got.batches, next, end, func(b *kmsg.RecordBatch, sum uint32) {
			if b.FirstOffset/segmentOffsets == number {
				all[b.FirstOffset] = copyOf(b, sum)
			}
		})
		if err == nil && next == before {
			err = errNothing
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func copyOf(b *kmsg.RecordBatch, sum uint32) observation.Copy {
	return observation.Copy{
		First: b.FirstOffset, Last: lastOffset(b), LeaderEpoch: b.PartitionLeaderEpoch, ProducerID: b.ProducerID, ProducerEpoch: b.ProducerEpoch,
		BaseSequence: b.FirstSequence, CRC: uint32(b.CRC), Damaged: sum != uint32(b.CRC),
	}
}
