package readback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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
	if !p.Complete || read == nil {
		return // why is said elsewhere
	}
	if !known {
		fail(p, errors.New("its replicas could not be learnt: no broker that answered knows it"))
		return
	}
	for _, broker := range state.Replicas {
		if broker == p.Leader && state.LeaderEpoch == p.LeaderEpoch {
			continue // it is what was read
		}
		c := comparison{
			reading: r, log: p, counted: p.LogStart,
			at:      ask.Leader{Node: int(broker), Epoch: state.LeaderEpoch, TopicID: md.TopicIDs[p.Topic], Address: md.Addresses[int(broker)]},
			replica: observation.Replica{Broker: broker, Reached: p.LogStart, OutOfSync: !slices.Contains(state.ISR, broker)},
		}
		if !c.replica.OutOfSync {
			if err := c.compare(ctx, read); err != nil {
				c.replica.Failure = err.Error()
			}
		}
		p.Replicas = append(p.Replicas, c.replica)
	}
}

// comparison compares one replica of a log with what was read of it.
type comparison struct {
	*reading
	log *observation.Partition
	// at is who has the replica, as a leader that Fetch can be sent to.
	at      ask.Leader
	replica observation.Replica
	// counted is the offset up to which forks are counted.
	counted int64
}

// compare compares what could be read of the replica, even if it was not all.
func (c *comparison) compare(ctx context.Context, read *fingerprint) error {
	var other fingerprint
	readErr := c.read(ctx, &other)
	if readErr != nil {
		c.replica.Own = c.ownBounds(ctx)
	}
	for _, number := range read.differing(&other) {
		if number*segmentOffsets >= c.replica.Reached {
			break
		}
		if err := c.findForks(ctx, number); err != nil {
			return cmp.Or(readErr, err)
		}
	}
	return readErr
}

// ownBounds asks a replica that could not be read where its own log begins and ends: in sync, it must hold all below the high
// watermark. It returns nil if there is no answer, or the replica is no longer in sync under the same leader.
func (c *comparison) ownBounds(ctx context.Context) *observation.Bounds {
	tp := tpOf(c.log)
	own := func(which ask.LogOffset) (int64, error) {
		offsets, err := c.brokers.Offsets(ctx, c.at.Node, which, map[ask.TopicPartition]int32{tp: c.at.Epoch})
		return offsets[tp], err
	}
	start, startErr := own(ask.ReplicaStart)
	end, endErr := own(ask.LogEnd)
	md, _, err := c.brokers.Newest(ctx, tp.Topic)
	state := md.Topics[tp.Topic][tp.Partition]
	if cmp.Or(startErr, endErr, err) != nil || state.LeaderEpoch != c.at.Epoch || !slices.Contains(state.ISR, c.replica.Broker) {
		return nil
	}
	return &observation.Bounds{Start: start, End: end}
}

// replicaPatience is how long a follower may make no progress: longer than it takes to hear of a high watermark.
const replicaPatience = 10 * time.Second

// read reads the replica up to the end that was captured at the leader. A follower learns of a high watermark with its next fetch,
// so that it may have to be asked for the last records again.
func (c *comparison) read(ctx context.Context, d *fingerprint) error {
	progress := time.Now()
	for c.replica.Reached < c.log.HW {
		before := c.replica.Reached
		err := c.stream(ctx, d)
		if c.replica.Reached > before {
			progress = time.Now()
		}
		if err == nil {
			continue
		}
		if time.Since(progress) > replicaPatience || ctx.Err() != nil {
			return fmt.Errorf("read up to offset %d of %d: %w", c.replica.Reached, c.log.HW, errors.Join(context.Cause(ctx), err))
		}
		_ = wait.Sleep(ctx, retryEvery) // the loop looks at the context itself
	}
	return nil
}

// stream reads on over one connection, until the end or until something goes wrong.
func (c *comparison) stream(ctx context.Context, d *fingerprint) error {
	conn, err := brokers.Dial(ctx, c.spec.Cluster.Direct(), c.at.Address, clientID, requestTimeout)
	if err != nil {
		return fmt.Errorf("fetch %s: %w", tpOf(c.log), err)
	}
	a := newAhead(conn, c.at, c.log, c.replica.Reached, &c.buffers)
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
		if c.replica.Reached, err = skim(got.batches, c.replica.Reached, c.log.HW, d.add); err != nil {
			return err
		}
		a.free <- got.buffer
	}
	return nil
}
