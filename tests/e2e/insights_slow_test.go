package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// longAgreement returns a text whose insights do not fit into the buffers of a connection
// from which the client does not read.
func longAgreement() string {
	var b strings.Builder
	b.WriteString("CONSULTING AGREEMENT\n\n")
	for n := range 900 {
		fmt.Fprintf(&b, "The Client shall pay a fee of USD %d.00 within 30 days after January 31, 2026%s.\n\n", 1000+n, strings.Repeat(" and on each day that follows", 110))
	}
	return b.String()
}

// TestSlowReaders opens the maximum number of streams and does not read them. Their places
// become free when the clients disconnect or are too slow.
func TestSlowReaders(t *testing.T) {
	harness.StandaloneOnly(t)
	const places = 2
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{fmt.Sprintf("GATEWAY_MAX_STREAMS=%d", places), "GATEWAY_WRITE_TIMEOUT=" + patience.Scale(15*time.Second).String()}})
	c := s.Client(t)
	long := object{"doc_text": longAgreement(), "insights": []object{insight("payments"), insight("contract_values"), insight("document_dates")}}
	if a := c.Post("/insights", long).OK(nil); len(a.Body) < 3<<20 { // later requests get it from the cache
		t.Fatalf("the response has only %d bytes", len(a.Body))
	}
	short := plus(about("doc_text", agreementText), "stream", true)
	for _, goes := range []bool{true, false} {
		var streams []*liveStream
		for range places {
			streams = append(streams, slowly(t, s, plus(long, "stream", true)))
		}
		if a := c.Post("/insights", short); a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Errorf("one more stream gets %d %.200s", a.Status, a.Body)
		}
		c.Post("/insights", about("doc_text", agreementText)).OK(nil) // not a stream
		for _, stream := range streams {
			if goes {
				stream.close()
			}
		}
		eventually(t, func() (string, bool) {
			a := c.Post("/insights", short)
			return "{}", a.Status == http.StatusOK && len(collected(t, a)) > 0
		})
		eventually(t, func() (string, bool) {
			return "{}", strings.Contains(s.Metrics(t, "gateway"), "\nrecto_http_streams 0\n")
		})
	}
}

// slowly opens a stream over a connection with a small buffer and reads its first event.
func slowly(t *testing.T, s *harness.System, body object) *liveStream {
	t.Helper()
	transport := s.Transport()
	transport.DisableKeepAlives = true
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(64 << 10)
		}
		return conn, err
	}
	stream, err := openStream(t.Context(), &http.Client{Transport: transport, Timeout: patience.Scale(2 * time.Minute)}, s, body, 0)
	if err != nil || stream.response.StatusCode != http.StatusOK {
		t.Fatalf("the stream cannot be opened: %v, %v", stream, err)
	}
	t.Cleanup(stream.close)
	if _, err := stream.next(); err != nil {
		t.Fatal(err)
	}
	return stream
}
