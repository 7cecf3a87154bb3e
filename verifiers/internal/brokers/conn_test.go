package brokers_test

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/chaeos/chaeos/harness"
	"github.com/chaeos/chaeos/verifiers/internal/brokers"
	"github.com/chaeos/chaeos/verifiers/internal/fakecluster"
)

func ask(version int16) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.SetVersion(version)
	return req
}

func answer(version int16) *kmsg.MetadataResponse {
	resp := kmsg.NewPtrMetadataResponse()
	resp.SetVersion(version)
	return resp
}

// TestSeveralRequestsOnOneConnection: answers come in the order of their requests, with and without tagged headers, into
// one buffer that is used again.
func TestSeveralRequestsOnOneConnection(t *testing.T) {
	c := fakecluster.New(t, 2, "in")
	conn, err := brokers.Dial(t.Context(), c.Direct(), c.Info().Bootstrap[1], "test", 10*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	var buffer []byte
	for range 2 {
		list := kmsg.NewPtrApiVersionsRequest()
		list.SetVersion(0)
		require.NoError(t, conn.Send(ask(8), list, ask(9)))
		for _, resp := range []kmsg.Response{answer(8), kmsg.NewPtrApiVersionsResponse(), answer(9)} {
			buffer, err = conn.Receive(buffer, resp)
			require.NoError(t, err)
			if md, ok := resp.(*kmsg.MetadataResponse); ok {
				require.Len(t, md.Brokers, fakecluster.Nodes)
				require.Len(t, md.Topics[0].Partitions, 2)
			} else {
				require.NotEmpty(t, resp.(*kmsg.ApiVersionsResponse).ApiKeys)
			}
		}
	}
}

func TestAnUnknownAddressIsRefused(t *testing.T) {
	_, err := brokers.Dial(t.Context(), harness.Dials{}, "127.0.0.1:1", "test", time.Second)
	require.ErrorContains(t, err, "no link to 127.0.0.1:1")
}

// TestBrokenAnswersAreErrors: anything that comes in place of an answer is an error, not a panic, and soon.
func TestBrokenAnswersAreErrors(t *testing.T) {
	frame := func(id uint32, body ...byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(4+len(body)))
		return append(binary.BigEndian.AppendUint32(out, id), body...)
	}
	for name, sent := range map[string][]byte{
		"nothing":                  {},
		"half a head":              {0, 0, 0},
		"a length below its id's":  {0, 0, 0, 3, 0, 0, 0, 0},
		"a length beyond reason":   {0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0},
		"half a body":              frame(0, 1, 2, 3)[:9],
		"another request's answer": frame(1),
		"no tags":                  frame(0),
		"a tag":                    frame(0, 1),
		"an answer that is cut":    frame(0, 0, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := brokers.Dial(t.Context(), harness.Dials{"broker:1": serve(t, sent)}, "broker:1", "test", 10*time.Second)
			require.NoError(t, err)
			defer conn.Close()
			require.NoError(t, conn.Send(ask(9)))
			_, err = conn.Receive(nil, answer(9))
			require.Error(t, err)
		})
	}
}

// TestAnswersAreHeldWhenAllAreThere, whole; what came of them before is not lost to Receive.
func TestAnswersAreHeldWhenAllAreThere(t *testing.T) {
	c := fakecluster.New(t, 2, "in")
	conn, err := brokers.Dial(t.Context(), c.Direct(), c.Info().Bootstrap[0], "test", 10*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	conn.Gather()
	require.False(t, conn.Holds(1), "nothing was asked")
	require.NoError(t, conn.Send(ask(8), ask(9)))
	require.Eventually(t, func() bool { return conn.Holds(2) }, 10*time.Second, time.Millisecond)
	require.False(t, conn.Holds(3), "two were asked for")
	for _, version := range []int16{8, 9} {
		resp := answer(version)
		_, err = conn.Receive(nil, resp)
		require.NoError(t, err)
		require.Len(t, resp.Topics[0].Partitions, 2)
	}
	require.False(t, conn.Holds(1), "all are taken")
}

// TestGatheringDoesNotWake: an answer that comes doesn't end a wait, until Wake does.
func TestGatheringDoesNotWake(t *testing.T) {
	c := fakecluster.New(t, 2, "in")
	held := make(chan struct{})
	c.Fake.ControlKey(int16(kmsg.Metadata), func(kmsg.Request) (kmsg.Response, error, bool) {
		<-held
		return nil, nil, false
	})
	conn, err := brokers.Dial(t.Context(), c.Direct(), c.Info().Bootstrap[0], "test", 10*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	conn.Gather()
	require.NoError(t, conn.Send(ask(8)))
	got := make(chan error, 1)
	go func() {
		_, err := conn.Receive(nil, answer(8))
		got <- err
	}()
	waits := func(long time.Duration) {
		require.Never(t, func() bool { return len(got) > 0 }, long, 10*time.Millisecond)
	}
	waits(100 * time.Millisecond)
	close(held)
	waits(200 * time.Millisecond)
	conn.Wake()
	require.NoError(t, <-got)
}

// TestALostConnectionWakes a reader that waits, also while it gathers. Looking doesn't report it.
func TestALostConnectionWakes(t *testing.T) {
	conn, err := brokers.Dial(t.Context(), harness.Dials{"broker:1": serve(t, nil)}, "broker:1", "test", 10*time.Second)
	require.NoError(t, err)
	defer conn.Close()
	conn.Gather()
	require.NoError(t, conn.Send(ask(8)))
	_, err = conn.Receive(nil, answer(8))
	require.Error(t, err)
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.False(t, conn.Holds(1))
}

// TestASilentBrokerIsGivenUp after the timeout.
func TestASilentBrokerIsGivenUp(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := brokers.Dial(t.Context(), harness.Dials{"broker:1": l.Addr().String()}, "broker:1", "test", 20*time.Millisecond)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.Send(ask(9)))
	_, err = conn.Receive(nil, answer(9))
	var late net.Error
	require.ErrorAs(t, err, &late)
	require.True(t, late.Timeout())
}

// serve answers one request with bytes, and closes.
func serve(t *testing.T, sent []byte) string {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		var head [4]byte
		if _, err := io.ReadFull(conn, head[:]); err == nil {
			_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:])))
			_, _ = conn.Write(sent)
		}
	}()
	return l.Addr().String()
}
