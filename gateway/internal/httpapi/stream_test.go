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

// eventLog is a log of one job in memory.
type eventLog struct {
	mu      sync.Mutex
	entries []insightapi.Event
	changed chan struct{} // closed when there is more; nil if nobody waits
	broken  bool
	closed  int // followers that were
	opened  int
}

// tell appends events.
func (l *eventLog) tell(events ...insightapi.Event) {
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

// told is an event as a client reads it.
type told struct {
	id   int
	kind string
	data string
}

// sse reads server-sent events as the HTML standard says, and holds that there is
// nothing else.
func sse(t *testing.T, r io.Reader, each func(told) bool) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	var e told
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
			if lines.Text() == "" && e != (told{}) {
				if !each(e) {
					return
				}
				e = told{}
			}
		default:
			t.Errorf("a line %q", lines.Text())
		}
	}
	if lines.Err() != nil || e != (told{}) {
		t.Errorf("the stream ends within an event %+v, %v", e, lines.Err())
	}
}

// ndjson reads a JSON object a line, and returns each as sse does.
func ndjson(t *testing.T, r io.Reader) []told {
	t.Helper()
	var all []told
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
			t.Errorf("a line %s", lines.Text())
		}
		all = append(all, told{head.ID, head.Event, "{" + data})
	}
	return all
}

// open begins a stream. Its status must be 200.
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
func (g *gateway) all(t *testing.T, header ...string) []told {
	t.Helper()
	var events []told
	sse(t, g.open(t, t.Context(), header...).Body, func(e told) bool {
		events = append(events, e)
		return true
	})
	return events
}

// allEvents are the events of the job that the log tells.
func allEvents() []insightapi.Event {
	all := answered()
	return insightapi.Events(wanted(), &all)
}

// complete holds that the events are those of the job, from the one after last on.
func complete(t *testing.T, got []told, last int) {
	t.Helper()
	events := allEvents()
	if len(got) != len(events)+1-last {
		t.Fatalf("got %d events, want %d: %+v", len(got), len(events)+1-last, got)
	}
	for i, e := range got[:len(got)-1] {
		want := events[last+i]
		if e != (told{want.Sequence, string(want.Kind), string(want.Data)}) {
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
		t.Errorf("at the end %+v", done)
	}
}

// TestStream follows a job while it is done.
func TestStream(t *testing.T) {
	g, s := serveInsights(t)
	events := allEvents()
	response := g.open(t, t.Context())
	for name, value := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if response.Header.Get(name) != value {
			t.Errorf("%s: %q", name, response.Header.Get(name))
		}
	}
	g.events.tell(events[0])
	var got []told
	sse(t, response.Body, func(e told) bool {
		got = append(got, e)
		switch {
		case len(got) < len(events):
			g.events.tell(events[len(got)]) // each is seen before the next one is there
		case len(got) == len(events):
			s.set(func(s *insightService) { s.state = jobapi.Succeeded })
		}
		return true
	})
	complete(t, got, 0)
	if s.endpoints[0] != "begin" || len(s.asked) != 1 || !s.asked[0].Stream {
		t.Errorf("the service was asked %v %+v", s.endpoints, s.asked)
	}
	if g.events.opened != 1 || g.events.closed != 1 {
		t.Errorf("followers: %d were opened, %d closed", g.events.opened, g.events.closed)
	}
}

// TestStreamIsWholeWhateverTheLogTells lets the log tell nothing, parts, and more
// than there is.
func TestStreamIsWholeWhateverTheLogTells(t *testing.T) {
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
			g.events.tell(c.entries...)
			response := g.open(t, t.Context())
			s.set(func(s *insightService) { s.state = jobapi.Succeeded })
			var got []told
			sse(t, response.Body, func(e told) bool { got = append(got, e); return true })
			complete(t, got, 0)
		})
	}
}

// TestStreamGoesOn begins again after each of the events.
func TestStreamGoesOn(t *testing.T) {
	g, s := serveInsights(t)
	events := allEvents()
	g.events.tell(events[:6]...)
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	for last := range len(events) + 1 {
		complete(t, g.all(t, "Last-Event-ID", strconv.Itoa(last)), last)
	}
	for _, last := range []int{len(events) + 1, len(events) + 2} {
		if got := g.all(t, "Last-Event-ID", strconv.Itoa(last)); len(got) != 0 {
			t.Errorf("after %d, which is the end, got %+v", last, got)
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

// TestStreamFails lets jobs fail before and after the stream has begun.
func TestStreamFails(t *testing.T) {
	g, s := serveInsights(t)
	fault := problem.New(problem.InvalidRequest, "It cannot be read.")
	g.events.tell(allEvents()[:2]...)
	for _, header := range [][]string{nil, {"Accept", "application/x-ndjson"}} {
		s.set(func(s *insightService) { s.state, s.failure = jobapi.Running, nil })
		response := g.open(t, t.Context(), header...)
		s.set(func(s *insightService) { s.state, s.failure = jobapi.Failed, fault })
		var got []told
		if header == nil {
			sse(t, response.Body, func(e told) bool { got = append(got, e); return true })
		} else {
			got = ndjson(t, response.Body)
		}
		if len(got) == 0 {
			t.Fatal("nothing was told")
		}
		e := got[len(got)-1]
		if len(got) > 3 || e.id != len(got) || e.kind != "error" || !strings.HasPrefix(e.data, `{"code":3001,"message":"Invalid request","detail":"It cannot be read.","docs":"https://recto.example/docs/errors/3001"`) {
			t.Errorf("got %+v", got)
		}
	}
	// What is known to fail is an ordinary error.
	g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).is(t, 400, "It cannot be read.", false)
	s.set(func(s *insightService) {
		s.state, s.failure, s.unsigned = jobapi.Running, nil, jobapi.NotFound("job_read")
	})
	if got := g.all(t); got[len(got)-1].kind != "error" || !strings.Contains(got[len(got)-1].data, `"code":1001`) {
		t.Errorf("of a job that is gone: %+v", got)
	}
}

// TestStreamIsCanceled cancels the job of a stream, or deletes its document when the job
// has succeeded: the client is told to send the request again, and that begins anew.
func TestStreamIsCanceled(t *testing.T) {
	for name, change := range map[string]func(*insightService){
		"canceled": func(s *insightService) { s.state = jobapi.Canceled },
		"deleted":  func(s *insightService) { s.state, s.resultless = jobapi.Succeeded, true },
	} {
		t.Run(name, func(t *testing.T) {
			g, s := serveInsights(t)
			g.events.tell(allEvents()[:2]...)
			response := g.open(t, t.Context(), "Idempotency-Key", "k")
			s.set(change)
			var got []told
			sse(t, response.Body, func(e told) bool { got = append(got, e); return true })
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

// TestStreamWaitsForTheService lets the service be away for a moment.
func TestStreamWaitsForTheService(t *testing.T) {
	g, s := serveInsights(t)
	s.set(func(s *insightService) { s.unsigned = problem.New(problem.Unavailable, "Away.") })
	response := g.open(t, t.Context())
	g.events.tell(allEvents()[0])
	var got []told
	sse(t, response.Body, func(e told) bool {
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
		t.Errorf("the service was asked %d times", len(s.asked))
	}
}

// TestStreamOnceMore asks again, with the same key, for what has failed: it is done anew.
// What only was to be accepted stays accepted.
func TestStreamOnceMore(t *testing.T) {
	g, s := serveInsights(t)
	g.events.tell(allEvents()[:2]...)
	response := g.open(t, t.Context(), "Idempotency-Key", "k")
	s.set(func(s *insightService) {
		s.state, s.failure = jobapi.Failed, problem.New(problem.Internal, "It was given up.")
	})
	var got []told
	sse(t, response.Body, func(e told) bool { got = append(got, e); return true })
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
		t.Errorf("the service was asked %d times", len(s.asked))
	}
}

// TestStreamGoesOnAfterItsTime goes on after the error that says that the stream took
// too long: no event is missed.
func TestStreamGoesOnAfterItsTime(t *testing.T) {
	patience.Grow(t, 300*time.Millisecond, func(budget time.Duration) (enough bool) {
		g, s := serveInsights(t, "GATEWAY_STREAM_BUDGET="+budget.String())
		g.events.tell(allEvents()[:2]...)
		first := g.all(t)
		last := first[len(first)-1]
		if len(first) > 3 || last.kind != "error" || !strings.Contains(last.data, `"code":5004`) {
			t.Fatalf("got %+v", first)
		}
		if len(first) < 3 {
			return false // it ended before both were told
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

// TestStreamBounds lets streams take too long, and be too many.
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
		t.Errorf("refused with %v, and %d jobs", r.header, len(s.asked))
	}
	s.set(func(s *insightService) { s.state = jobapi.Succeeded })
	if _, err := io.Copy(io.Discard, first.Body); err != nil {
		t.Error(err)
	}
	patience.Until(t, "the place is free again", func() bool {
		return g.post(t, insightsPath, want(`"doc_text":"t","stream":true`)).status == http.StatusOK
	})
}

// TestStreamTakenSlowly takes a result event by event, for longer than a stream may take:
// it ends with the event that is being told.
func TestStreamTakenSlowly(t *testing.T) {
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
			return false // it ended before anything was told
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
	// largeResult is more bytes than a connection takes that nobody reads from. It is
	// not larger than it must be: the gateway has 5 s to fetch a result.
	largeResult = 16 * connectionBuffer
	// unread lets a client that reads nothing keep its connection for longer than any
	// budget of these tests.
	unread = "GATEWAY_WRITE_TIMEOUT=24h"
)

// TestStreamMemory reads nothing of a large result: the next one has to wait until that
// client is gone, and is fetched once until then.
func TestStreamMemory(t *testing.T) {
	patience.Grow(t, 2*time.Second, func(budget time.Duration) (enough bool) { return takesTurns(t, budget) })
}

// takesTurns lets two streams take turns in memory that has room for one result. It
// reports whether the budget was enough for what they have to tell: each stream has it,
// and that of the second, which waits, has to run out.
func takesTurns(t *testing.T, budget time.Duration) bool {
	t.Helper()
	g, s := serveInsights(t, "GATEWAY_STREAM_MEMORY=1048576", "GATEWAY_STREAM_BUDGET="+budget.String(), unread)
	s.set(func(s *insightService) { s.state, s.padding = jobapi.Succeeded, largeResult })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	slow := g.open(t, ctx)
	lines := bufio.NewReader(slow.Body)
	for line := ""; line != "event: done\n"; { // then the large part is being told
		var err error
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if line == "event: error\n" {
			return false // it ended before
		}
	}
	s.set(func(s *insightService) { s.padding, s.signatures = 0, 0 })
	if got := g.all(t); len(got) != 1 || got[0].kind != "error" || !strings.Contains(got[0].data, `"code":5004`) {
		t.Errorf("got %+v", got)
	}
	fetched := 0
	s.set(func(s *insightService) { fetched = s.signatures })
	if fetched == 0 {
		return false // the second one ended before it had asked
	}
	if fetched != 1 {
		t.Errorf("the result was fetched %d times", fetched)
	}
	cancel()
	_ = slow.Body.Close()
	patience.Until(t, "another result is told", func() bool {
		got := g.all(t)
		return got[len(got)-1].kind == "done"
	})
	return true
}

// TestStreamClientGoes leaves in the middle of a stream: it is noticed when the
// next event is told.
func TestStreamClientGoes(t *testing.T) {
	g, _ := serveInsights(t, "GATEWAY_MAX_STREAMS=1")
	ctx, cancel := context.WithCancel(t.Context())
	response := g.open(t, ctx)
	g.events.tell(allEvents()[0])
	sse(t, response.Body, func(told) bool { return false })
	cancel()
	_ = response.Body.Close()
	n := 1
	patience.Until(t, "the follower ends", func() bool {
		g.events.tell(insightapi.Event{Sequence: n + 1, Kind: insightapi.EventProgress, Data: jsontext.Value(fmt.Sprintf(`{"stage":"%s","progress":0.5}`, strings.Repeat("x", 1000)))})
		n++
		g.events.mu.Lock()
		defer g.events.mu.Unlock()
		return g.events.closed == 1
	})
}

// TestStreamDrains ends a gateway while a stream is open: the stream ends between
// two events, without one that says so.
func TestStreamDrains(t *testing.T) {
	g, _ := serveInsights(t)
	g.events.tell(allEvents()[:2]...)
	var got []told
	sse(t, g.open(t, t.Context()).Body, func(e told) bool {
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

// TestStreamPauses waits until something is written while there is nothing to tell,
// and holds that a client that reads events does not notice.
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
			g.events.tell(allEvents()[0])
			next := make([]byte, len(c.event))
			if _, err := io.ReadFull(body, next); err != nil || string(next) != c.event {
				t.Errorf("read %q, %v", next, err)
			}
		})
	}
}
