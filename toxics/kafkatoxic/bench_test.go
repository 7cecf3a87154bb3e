package kafkatoxic

import (
	"encoding/binary"
	"io"
	"net"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	toxiclient "github.com/Shopify/toxiproxy/v2/client"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// BenchmarkArmed reports how fast requests of 64 KiB and their answers go through a proxy whose toxics are armed with rules
// that match nothing, next to a proxy without them: the median ratio of pairs whose order alternates. There is nothing
// behind but a sink, so it is the cost at the proxy's own limit. One operation is a pair of 256 MiB each.
func BenchmarkArmed(b *testing.B) {
	for _, c := range []struct {
		name string
		rule Rule
	}{
		{"another-API", Rule{ID: "rule", Op: Hold, On: OnRequest, APIs: []string{"EndTxn", "TxnOffsetCommit"}}},
		{"another-client", Rule{ID: "rule", Op: Cut, On: OnResponse, APIs: []string{"Produce"}, Clients: []string{"nobody"}}},
		{"another-topic", Rule{ID: "rule", Op: Hold, On: OnRequest, APIs: []string{"Produce"}, Topics: []string{"nothing"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			plain, armed := newPair(b, c.rule)
			sides := []string{plain, armed}
			took := map[string]time.Duration{}
			var ratios []float64
			for b.Loop() {
				for _, side := range sides {
					took[side] = push(b, side)
				}
				slices.Reverse(sides)
				ratios = append(ratios, took[plain].Seconds()/took[armed].Seconds())
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
			b.ReportMetric(ratios[0], "ratio-min")
			b.ReportMetric(ratios[len(ratios)-1], "ratio-max")
			b.ReportMetric(0, "ns/op") // says nothing: a pair
		})
	}
}

// newPair makes two proxies before one sink, and arms the second. It returns where they listen.
func newPair(b *testing.B, rule Rule) (plain, armed string) {
	Register()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	api := httptest.NewServer(server.Routes())
	b.Cleanup(api.Close)
	client := toxiclient.NewClient(strings.TrimPrefix(api.URL, "http://"))
	sink := newSink(b)
	without, err := client.CreateProxy("plain", "127.0.0.1:0", sink)
	require.NoError(b, err)
	with, err := client.CreateProxy("armed", "127.0.0.1:0", sink)
	require.NoError(b, err)
	require.NoError(b, Prepare(with))
	require.NoError(b, NewRemote(client, "armed").Arm(rule))
	return without.Listen, with.Listen
}

// newSink answers every request with a few bytes.
func newSink(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	b.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				var head [12]byte
				for {
					if _, err := io.ReadFull(conn, head[:]); err != nil {
						return
					}
					left := int64(binary.BigEndian.Uint32(head[:])) - 8
					if _, err := io.CopyN(io.Discard, conn, left); err != nil {
						return
					}
					answer := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, binary.BigEndian.Uint32(head[8:]))
					if _, err := conn.Write(append(answer, 1, 2, 3, 4)); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

// push sends requests, five in flight, and returns how long it took until the last was answered.
func push(b *testing.B, addr string) time.Duration {
	const count, size, inFlight = 4096, 64 << 10, 5
	req := produce(1, "topic").(*kmsg.ProduceRequest)
	req.Topics[0].Partitions[0].Records = make([]byte, size)
	frame := request(req, 1, "client")
	conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", addr)
	require.NoError(b, err)
	defer conn.Close()
	begin := time.Now()
	slots, failed := make(chan struct{}, inFlight), make(chan error, 1)
	go func() {
		for range count {
			slots <- struct{}{}
			if _, err := conn.Write(frame); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for range count {
		_, err := readFrame(conn)
		require.NoError(b, err)
		<-slots
	}
	require.NoError(b, <-failed)
	return time.Since(begin)
}
