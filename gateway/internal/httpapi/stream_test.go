package httpapi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/gateway/internal/httpapi"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/contract/jobapi"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// eventLog is an in-memory log of one job.
type eventLog struct {
	mu      sync.Mutex
	entries []insightapi.Event
	changed chan struct{} // closed when there is more; nil if there are no waiters
	broken  bool
	closed  int // number of closed followers
	opened  int // number of opened followers
}

// append appends events.
func (l *eventLog) append(events ...insightapi.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, events...)
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// Follow implements httpapi.EventLog.
func (l *eventLog) Follow(_ context.Context, organization, job string, from int) (httpapi.Follower, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken || organization == "" || job != "job_read" {
		return nil, errors.New("no log")
	}
	l.opened++
	return &logFollower{log: l, from: from}, nil
}

type logFollower struct {
	log  *eventLog
	next int
	from int
}

// Next implements httpapi.Follower.
func (f *logFollower) Next(ctx context.Context) (int, []byte, error) {
	for {
		f.log.mu.Lock()
		for f.next < len(f.log.entries) {
			e := f.log.entries[f.next]
			f.next++
			if e.Sequence >= f.from {
				f.log.mu.Unlock()
				data, err := json.Marshal(e)
				return e.Sequence, data, err
			}
		}
		if f.log.changed == nil {
			f.log.changed = make(chan struct{})
		}
		changed := f.log.changed
		f.log.mu.Unlock()
		select {
		case <-ctx.Done():
			return 0, nil, ctx.Err()
		case <-changed:
		}
	}
}

// Close implements httpapi.Follower.
func (f *logFollower) Close() {
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	f.log.closed++
}

// received is an event as a client receives it.
type received struct {
	id   int
	kind string
	data string
}

// sse reads server-sent events as the HTML standard defines them, and checks that there is
// nothing else. It stops when each returns false.
func sse(t *testing.T, r io.Reader, each func(received) bool) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var e received
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.id, _ = strconv.Atoi(value)
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if lines.Text() == "" && e != (received{}) {
				if !each(e) {
					return
				}
				e = received{}
			}
		default:
			t.Errorf("unexpected line %q", lines.Text())
		}
	}
	if lines.Err() != nil || e != (received{}) {
		t.Errorf("the stream ends within an event %+v, %v", e, lines.Err())
	}
}

// ndjson reads events as lines of JSON, and returns each in the form of sse.
func ndjson(t *testing.T, r io.Reader) []received {
	t.Helper()
	var all []received
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var head struct {
			Event string `json:"event"`
			ID    int    `json:"id"`
		}
		if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		data, ok := strings.CutPrefix(lines.Text(), fmt.Sprintf(`{"event":%q,"id":%d,`, head.Event, head.ID))
		if !ok {
			t.Errorf("unexpected line %s", lines.Text())
		}
		all = append(all, received{head.ID, head.Event, "{" + data})
	}
	return all
}

// open begins a stream and checks that its status is 200.
func (g *gateway) open(t *testing.T, ctx context.Context, header ...string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+insightsPath, strings.NewReader(want(`"doc_text":"t","stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"X-Forwarded-Proto": {"https"}, "X-Api-Key": {g.key}}
	for i := 0; i < len(header); i += 2 {
		request.Header.Add(header[i], header[i+1])
	}
	request.Close = true
	transport := http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if tcp, ok := conn.(*net.TCPConn); ok {
			err = tcp.SetReadBuffer(connectionBuffer)
		}
		return conn, err
	}}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		t.Fatalf("got %d %s", response.StatusCode, body)
	}
	return response
}

// all reads a stream of server-sent events to its end.
func (g *gateway) all(t *testing.T, header ...string) []received {
	t.Helper()
	var events []received
	sse(t, g.open(t, t.Context(), header...).Body, func(e received) bool {
		events = append(events, e)
		return true
	})
	return events
}

// allEvents returns the events of the job in the log.
func allEvents() []insightapi.Event {
	all := answered()
	return insightapi.Events(wanted(), &all)
}

// complete checks that got has all events of the job after last.
func complete(t *testing.T, got []received, last int) {
	t.Helper()
	events := allEvents()
	if len(got) != len(events)+1-last {
		t.Fatalf("got %d events, want %d: %+v", len(got), len(events)+1-last, got)
	}
	for i, e := range got[:len(got)-1] {
		want := events[last+i]
		if e != (received{want.Sequence, string(want.Kind), string(want.Data)}) {
			t.Errorf("got %+v\nwant %+v %s", e, want, want.Data)
		}
	}
	done := got[len(got)-1]
	all := answered()
	selected := all.Select(wanted())
	var answer insightapi.Answer
	if err := json.Unmarshal([]byte(done.data), &answer); err != nil {
		t.Fatal(err)
	}
	url := answer.SignedURL
	answer.SignedURL = ""
	wantJSON, _ := json.Marshal(selected, json.Deterministic(true))
	gotJSON, _ := json.Marshal(answer, json.Deterministic(true))
	if done.id != len(events)+1 || done.kind != "done" || url == "" || string(gotJSON) != string(wantJSON) {
		t.Errorf("the last event is %+v", done)
	}
}

// TestStream follows a running job.
func TestStream(t *testing.T) {
	g, s := serveInsights(t)
	events := allEvents()
	response := g.open(t, t.Context())
	for name, value := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Recto-Engine": ""} {
		if response.Header.Get(name) != value {
			t.Errorf("%s: %q", name, response.Header.Get(name))
		}
	}
	g.events.append(events[0])
	var got []received
	sse(t, response.Body, func(e received) bool {
		got = append(got, e)
		switch {
		case len(got) < len(events):
			g.events.append(events[len(got)]) // each event arrives before the next one exists
		case len(got) == len(events):
			s.set(func(s *insightService) { s.state = jobapi.Succeeded })
		}
		return true
	})
	complete(t, got, 0)
	if s.endpoints[0] != "begin" || len(s.asked) != 1 || !s.asked[0].Stream {
		t.Errorf("the service got %v %+v", s.endpoints, s.asked)
	}
	if g.events.opened != 1 || g.events.closed != 1 {
		t.Errorf("followers: %d were opened, %d closed", g.events.opened, g.events.closed)
	}
}

// TestStreamIsComplete checks that a stream is complete even if the log loses, repeats or
// reorders events.
func TestStreamIsComplete(t *testing.T) {
	events := allEvents()
	for name, c := range map[string]struct {
		entries []insightapi.Event
		broken  bool
	}{
		"nothing": {}, "all": {entries: events}, "beginning": {entries: events[:4]}, "end": {entries: events[4:]}, "hole": {entries: slices.Concat(events[:2], events[3:])},
		"twice": {entries: slices.Concat(events[:4], events)}, "backwards": {entries: slices.Concat(events[3:4], events[:3])}, "broken": {broken: true},
	} {
		t.Run(name, func(t *testing.T) {
			g, s := serveInsights(t)
			g.events.broken = c.broken
			g.events.append(c.entries...)
			response := g.open(t, t.Context())
			s.set(func(s *insightService) { s.state = jobapi.Succeeded })
			var got []received
			sse(t, response.Body, func(e received) bool { got = append(got, e); return true })
			complete(t, got, 0)
		})
	}
}

// TestStreamContinues reconnects after each of the events.
func TestStreamContinues(t *testing.T) {
	g, s := serveInsights(t)
	events := allEvents()
	g.events.append(events[:6]...)
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	for last := range len(events) + 1 {
		complete(t, g.all(t, "Last-Event-ID", strconv.Itoa(last)), last)
	}
	for _, last := range []int{len(events) + 1, len(events) + 2} {
		if got := g.all(t, "Last-Event-ID", strconv.Itoa(last)); len(got) != 0 {
			t.Errorf("after %d, which is past the end, got %+v", last, got)
		}
	}
	complete(t, g.all(t, "Last-Event-ID", ""), 0)
	for _, bad := range []string{"x", "-1", "1.5", "99999999999999999999", "9223372036854775807", "+1"} {
		g.post(t, insightsPath, want(`"doc_text":"t","stream":true`), "Last-Event-ID", bad).is(t, 400, `"path":"Last-Event-ID"`, false)
	}
}

func TestStreamAccepts(t *testing.T) {
	g, s := serveInsights(t)
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	for accept, want := range map[string]string{
		"application/x-ndjson": "application/x-ndjson", "text/event-stream": "text/event-stream", "*/*": "text/event-stream", "application/json": "text/event-stream",
		"application/x-ndjson, text/event-stream;q=0.5": "application/x-ndjson", "application/x-ndjson;q=0.1, text/event-stream": "text/event-stream",
		"application/x-ndjson, */*": "application/x-ndjson", "application/x-ndjson;q=0": "text/event-stream", "Application/X-NDJSON": "application/x-ndjson", "image/png": "text/event-stream", "application/x-ndjson; charset=utf-8": "application/x-ndjson",
	} {
		response := g.open(t, t.Context(), "Accept", accept)
		if got := response.Header.Get("Content-Type"); got != want {
			t.Errorf("%s: got %s", accept, got)
		}
	}
	lines := g.open(t, t.Context(), "Accept", "application/x-ndjson")
	complete(t, ndjson(t, lines.Body), 0)
}

// TestStreamFails lets jobs fail after and before the stream has begun.
func TestStreamFails(t *testing.T) {
	g, s := serveInsights(t)
	fault := problem.New(problem.InvalidRequest, "It cannot be read.")
	g.events.append(allEvents()[:2]...)
	for _, header := range [][]string{nil, {"Accept", "application/x-ndjson"}} {
		s.set(func(s *insightService) { s.state, s.failure = jobapi.Running, nil })
		response := g.open(t, t.Context(), header...)
		s.set(func(s *insightService) { s.state, s.failure = jobapi.Failed, fault })
		var got []received
		if header == nil {
			sse(t, response.Body, func(e received) bool { got = append(got, e); return true })
		} else {
			got = ndjson(t, response.Body)
		}
		if len(got) == 0 {
			t.Fatal("got no events")
		}
		e := got[len(got)-1]
		if len(got) > 3 || e.id != len(got) || e.kind != "error" || !strings.HasPrefix(e.data, `{"code":3001,"message":"Invalid request","detail":"It cannot be read.","docs":"https://recto.example/docs/errors/3001"`) {
			t.Errorf("got %+v", got)
		}
	}
	// A job that has already failed is an ordinary error.
	g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).is(t, 400, "It cannot be read.", false)
	s.set(func(s *insightService) {
		s.state, s.failure, s.unsigned = jobapi.Running, nil, jobapi.NotFound("job_read")
	})
	if got := g.all(t); got[len(got)-1].kind != "error" || !strings.Contains(got[len(got)-1].data, `"code":1001`) {
		t.Errorf("a job that no longer exists: %+v", got)
	}
}

// TestStreamIsCanceled cancels the job of a stream, or deletes its document after the job
// has succeeded. The client is asked to repeat the request, which starts a new job.
func TestStreamIsCanceled(t *testing.T) {
	for name, change := range map[string]func(*insightService){
		"canceled": func(s *insightService) { s.state = jobapi.Canceled },
		"deleted":  func(s *insightService) { s.state, s.resultless = jobapi.Succeeded, true },
	} {
		t.Run(name, func(t *testing.T) {
			g, s := serveInsights(t)
			g.events.append(allEvents()[:2]...)
			response := g.open(t, t.Context(), "Idempotency-Key", "k")
			s.set(change)
			var got []received
			sse(t, response.Body, func(e received) bool { got = append(got, e); return true })
			if len(got) == 0 || got[len(got)-1].kind != "error" || !strings.Contains(got[len(got)-1].data, `"code":5003`) {
				t.Fatalf("got %+v", got)
			}
			s.set(func(s *insightService) { s.renews, s.resultless = true, false })
			if name == "canceled" {
				complete(t, g.all(t, "Idempotency-Key", "k"), 0)
			}
		})
	}
}

// TestStreamWaitsForTheService lets the service be unavailable for a moment.
func TestStreamWaitsForTheService(t *testing.T) {
	g, s := serveInsights(t)
	s.set(func(s *insightService) { s.unsigned = problem.New(problem.Unavailable, "The service is unavailable.") })
	response := g.open(t, t.Context())
	g.events.append(allEvents()[0])
	var got []received
	sse(t, response.Body, func(e received) bool {
		got = append(got, e)
		s.set(func(s *insightService) { s.state, s.unsigned = jobapi.Succeeded, nil })
		return true
	})
	complete(t, got, 0)
}

func TestStreamOnce(t *testing.T) {
	g, s := serveInsights(t)
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	complete(t, g.all(t, "Idempotency-Key", "k"), 0)
	complete(t, g.all(t, "Idempotency-Key", "k", "Last-Event-ID", "3"), 3)
	if len(s.asked) != 1 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
}

// TestStreamOnceMore repeats a failed stream with the same Idempotency-Key: the work runs
// again. An asynchronous request keeps its accepted job.
func TestStreamOnceMore(t *testing.T) {
	g, s := serveInsights(t)
	g.events.append(allEvents()[:2]...)
	response := g.open(t, t.Context(), "Idempotency-Key", "k")
	s.set(func(s *insightService) {
		s.state, s.failure = jobapi.Failed, problem.New(problem.Internal, "The job was dead-lettered.")
	})
	var got []received
	sse(t, response.Body, func(e received) bool { got = append(got, e); return true })
	if last := got[len(got)-1]; last.kind != "error" || last.id != len(got)-1 {
		t.Fatalf("got %+v", got)
	}
	later := want(`"doc_text":"t"`)
	g.post(t, insightsPath, later, "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, "job_read", false)
	g.post(t, insightsPath, later, "Idempotency-Key", "m", "Prefer", "respond-async").is(t, 202, "job_read", true)
	s.set(func(s *insightService) { s.renews = true })
	complete(t, g.all(t, "Idempotency-Key", "k", "Last-Event-ID", strconv.Itoa(len(got)-1)), len(got)-1)
	complete(t, g.all(t, "Idempotency-Key", "k"), 0)
	if len(s.asked) != 3 {
		t.Errorf("the service got %d requests", len(s.asked))
	}
}

// TestStreamContinuesAfterTimeout continues after the error for a stream that took too long:
// no event is missed.
func TestStreamContinuesAfterTimeout(t *testing.T) {
	patience.Grow(t, 300*time.Millisecond, func(budget time.Duration) (enough bool) {
		g, s := serveInsights(t, "GATEWAY_STREAM_BUDGET="+budget.String())
		g.events.append(allEvents()[:2]...)
		first := g.all(t)
		last := first[len(first)-1]
		if len(first) > 3 || last.kind != "error" || !strings.Contains(last.data, `"code":5004`) {
			t.Fatalf("got %+v", first)
		}
		if len(first) < 3 {
			return false // it ended before both events were sent
		}
		s.set(func(s *insightService) { s.state = jobapi.Succeeded })
		rest := g.all(t, "Last-Event-ID", strconv.Itoa(last.id))
		if end := rest[len(rest)-1]; end.kind == "error" && strings.Contains(end.data, `"code":5004`) {
			return false
		}
		complete(t, rest, 2)
		return true
	})
}

// TestStreamBounds exceeds the duration of a stream, and the number of streams.
func TestStreamBounds(t *testing.T) {
	g, _ := serveInsights(t, "GATEWAY_STREAM_BUDGET=300ms", "GATEWAY_MAX_STREAMS=1")
	got := g.all(t)
	if len(got) != 1 || got[0].id != 0 || got[0].kind != "error" || !strings.Contains(got[0].data, `"code":5004`) {
		t.Errorf("got %+v", got)
	}
	g, s := serveInsights(t, "GATEWAY_MAX_STREAMS=1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := g.open(t, ctx)
	r := g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).is(t, 503, `"code":5003`, false)
	if r.header.Get("Retry-After") == "" || len(s.asked) != 1 {
		t.Errorf("refused with the headers %v after %d jobs", r.header, len(s.asked))
	}
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	if _, err := io.Copy(io.Discard, first.Body); err != nil {
		t.Error(err)
	}
	patience.Until(t, "the place is free again", func() bool {
		return g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).status == http.StatusOK
	})
}

// TestStreamReadSlowly reads a result so slowly that the stream times out: it ends after the
// event that is being sent.
func TestStreamReadSlowly(t *testing.T) {
	patience.Grow(t, 2*time.Second, func(budget time.Duration) (enough bool) {
		g, s := serveInsights(t, "GATEWAY_STREAM_BUDGET="+budget.String(), unread)
		s.set(func(s *insightService) { s.state, s.titled = jobapi.Succeeded, largeResult })
		body := bufio.NewReader(g.open(t, t.Context()).Body)
		id, err := body.ReadString('\n')
		kind, kindErr := body.ReadString('\n')
		if err != nil || kindErr != nil {
			t.Fatal(err, kindErr)
		}
		if kind == "event: error\n" {
			return false // it ended before anything was sent
		}
		time.Sleep(budget + budget/2)
		rest, err := io.ReadAll(body)
		if err != nil || id != "id: 1\n" || !strings.Contains(string(rest), `event: error`) || !strings.Contains(string(rest), `"code":5004`) || strings.Contains(string(rest), "event: done") {
			t.Errorf("after %s, read %d bytes, which end with %s, %v", id, len(rest), rest[max(len(rest)-400, 0):], err)
		}
		return true
	})
}

const (
	// largeResult is more bytes than a connection buffers. It is not larger than necessary,
	// because the gateway has only 5 s to fetch a result.
	largeResult = 16 * connectionBuffer
	// unread keeps the connection of a client that reads nothing open for longer than any
	// budget of these tests.
	unread = "GATEWAY_WRITE_TIMEOUT=24h"
)

// TestStreamMemory lets a client stop reading a large result. The next result has to wait
// until that client disconnects, and is fetched only once until then.
func TestStreamMemory(t *testing.T) {
	patience.Grow(t, 2*time.Second, func(budget time.Duration) (enough bool) { return takesTurns(t, budget) })
}

// takesTurns lets two streams share memory for one result. The budget is the maximum
// duration of each stream; that of the second one must run out while it waits. It reports
// whether the budget was long enough for the rest.
func takesTurns(t *testing.T, budget time.Duration) bool {
	t.Helper()
	g, s := serveInsights(t, "GATEWAY_STREAM_MEMORY=1048576", "GATEWAY_STREAM_BUDGET="+budget.String(), unread)
	s.set(func(s *insightService) { s.state, s.padding = jobapi.Succeeded, largeResult })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := g.open(t, ctx)
	lines := bufio.NewReader(slow.Body)
	for line := ""; line != "event: done\n"; { // after that line, the large part is being sent
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if line == "event: error\n" {
			return false // it ended too early
		}
	}
	s.set(func(s *insightService) { s.padding, s.signatures = 0, 0 })
	if got := g.all(t); len(got) != 1 || got[0].kind != "error" || !strings.Contains(got[0].data, `"code":5004`) {
		t.Errorf("got %+v", got)
	}
	fetched := 0
	s.set(func(s *insightService) { fetched = s.signatures })
	if fetched == 0 {
		return false // the second stream ended before it fetched the result
	}
	if fetched != 1 {
		t.Errorf("the result was fetched %d times", fetched)
	}
	cancel()
	_ = slow.Body.Close()
	patience.Until(t, "another result is sent", func() bool {
		got := g.all(t)
		return got[len(got)-1].kind == "done"
	})
	return true
}

// TestStreamClientDisconnects disconnects in the middle of a stream: the gateway notices when it
// sends the next events.
func TestStreamClientDisconnects(t *testing.T) {
	g, _ := serveInsights(t, "GATEWAY_MAX_STREAMS=1")
	ctx, cancel := context.WithCancel(t.Context())
	response := g.open(t, ctx)
	g.events.append(allEvents()[0])
	sse(t, response.Body, func(received) bool { return false })
	cancel()
	_ = response.Body.Close()
	n := 1
	patience.Until(t, "the follower ends", func() bool {
		g.events.append(insightapi.Event{Sequence: n + 1, Kind: insightapi.EventProgress, Data: jsontext.Value(fmt.Sprintf(`{"stage":"%s","progress":0.5}`, strings.Repeat("x", 1000)))})
		n++
		g.events.mu.Lock()
		defer g.events.mu.Unlock()
		return g.events.closed == 1
	})
}

// TestStreamDrains shuts down a gateway while a stream is open: the stream ends between two
// events, without a final one.
func TestStreamDrains(t *testing.T) {
	g, _ := serveInsights(t)
	g.events.append(allEvents()[:2]...)
	var got []received
	sse(t, g.open(t, t.Context()).Body, func(e received) bool {
		got = append(got, e)
		if len(got) == 2 {
			g.stop()
		}
		return true
	})
	if len(got) != 2 {
		t.Errorf("got %+v", got)
	}
}

// TestStreamPauses checks that the gateway writes something while there are no events, and
// that the next event is still well-formed.
func TestStreamPauses(t *testing.T) {
	for accept, c := range map[string]struct{ pause, event string }{
		"text/event-stream":    {": still at work\n\n", "id: 1\nevent: progress\ndata: "},
		"application/x-ndjson": {" ", `{"event":"progress","id":1,`},
	} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			g, _ := serveInsights(t)
			body := g.open(t, t.Context(), "Accept", accept).Body
			first := make([]byte, len(c.pause))
			if _, err := io.ReadFull(body, first); err != nil || string(first) != c.pause {
				t.Errorf("read %q, %v", first, err)
			}
			g.events.append(allEvents()[0])
			next := make([]byte, len(c.event))
			if _, err := io.ReadFull(body, next); err != nil || string(next) != c.event {
				t.Errorf("read %q, %v", next, err)
			}
		})
	}
}
