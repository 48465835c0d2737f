package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/rectohq/recto/tests/harness"
)

// reading holds the responses to a request for insights, in all ways that it was sent.
type reading struct {
	document string // the document that was read, "" for a text
	answer   string // the response without its presigned URL, "" if there was none
	job      string // the id of the job, "" if none was accepted
	streams  [][]harness.Event
}

// way is a way to request insights.
type way string

const (
	atOnce   way = "at once"
	inAJob   way = "in a job"
	inEvents way = "in events"
	inPart   way = "in events, the client reads only the first ones"
)

// part is how many events a client reads if it reads only the first ones.
const part = 4

var waysToAsk = []way{inPart, inAJob, atOnce, inEvents}

// readText requests insights about a text that the mark makes unique.
func (l *loader) readText(mark string, how way) {
	l.read(about("doc_text", agreementText+"\nSchedule "+mark+"\n"), "", how)
}

// createUploadRead creates a document, uploads its content and requests insights in
// several ways. The last of them asks for the same job again, whose event must still be
// published only once.
func (l *loader) createUploadRead(mark string) {
	d, ok := l.createUpload("a.txt", agreementText+"\nSchedule "+mark+"\n")
	if !ok {
		return
	}
	for _, how := range []way{inPart, inAJob, inEvents, inAJob} {
		l.read(about("document_id", d.ID), d.ID, how)
	}
}

// read requests insights and records the response.
func (l *loader) read(request object, document string, how way) {
	data, err := json.Marshal(request)
	if err != nil {
		panic(err) // cannot happen: tests build the request
	}
	body := string(data)
	switch how {
	case atOnce:
		var answer json.RawMessage
		if l.api("/insights", json.RawMessage(body), &answer) {
			l.note(body, document, reading{answer: signedURL.ReplaceAllString(string(answer), `"signed_url":""`)})
		}
	case inAJob:
		var job accepted
		if l.api("/insights", json.RawMessage(body), &job, "Prefer", "respond-async") {
			l.note(body, document, reading{job: job.ID})
		}
	case inEvents:
		l.note(body, document, reading{streams: l.readEvents(plus(request, "stream", true), math.MaxInt)})
	case inPart:
		l.note(body, document, reading{streams: l.readEvents(plus(request, "stream", true), part)})
	}
}

// note records the responses to a request. They must equal earlier responses to it.
func (l *loader) note(body, document string, got reading) {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	was := l.p.insights[body]
	if was == nil {
		was = &reading{document: document}
		l.p.insights[body] = was
	}
	for _, of := range []struct {
		what     string
		was, got *string
	}{{"answer", &was.answer, &got.answer}, {"job", &was.job, &got.job}} {
		if *of.was == "" {
			*of.was = *of.got
		} else if *of.got != "" && *of.got != *of.was {
			l.p.errors = append(l.p.errors, fmt.Sprintf("the same request had the %s %s, then %s", of.what, *of.was, *of.got))
		}
	}
	was.streams = append(was.streams, got.streams...)
}

// readEvents requests a stream and returns it, with at most the given number of events.
// It returns nil if no event arrived.
func (l *loader) readEvents(body object, most int) [][]harness.Event {
	ctx, cancel := context.WithTimeout(context.Background(), clientTimeout())
	defer cancel()
	s, err := openStream(ctx, l.http, l.s, body, 0)
	if err != nil {
		return nil
	}
	defer s.close()
	if s.response.StatusCode != http.StatusOK {
		if s.response.StatusCode != http.StatusServiceUnavailable && s.response.StatusCode != http.StatusGatewayTimeout {
			l.wrong("a stream gets %d", s.response.StatusCode)
		}
		return nil
	}
	var events []harness.Event
	for len(events) < most && (len(events) == 0 || events[len(events)-1].Name != "done") {
		e, err := s.next()
		if errors.Is(err, context.DeadlineExceeded) {
			l.wrong("a stream hangs after %d events", len(events))
		}
		if err != nil {
			break
		}
		if e.Name == "error" { // more events may follow when the stream is resumed
			if !bytes.Contains(e.Data, []byte(`"code":5003`)) && !bytes.Contains(e.Data, []byte(`"code":5004`)) {
				l.wrong("a stream ends with %s", e.Data)
			}
			break
		}
		events = append(events, e)
	}
	if len(events) == 0 {
		return nil
	}
	return [][]harness.Event{events}
}

// liveStream is a stream of events that is read as it arrives.
type liveStream struct {
	response *http.Response
	lines    *bufio.Reader
}

// openStream requests a stream of the events after the one with id last.
func openStream(ctx context.Context, client *http.Client, s *harness.System, body object, last int) (*liveStream, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/insights", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	request.Header.Set("x-api-key", s.APIKey)
	if last > 0 {
		request.Header.Set("Last-Event-ID", strconv.Itoa(last))
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	return &liveStream{response, bufio.NewReader(response.Body)}, nil
}

func (s *liveStream) close() { _ = s.response.Body.Close() }

// next returns the next complete event.
func (s *liveStream) next() (e harness.Event, err error) {
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			return harness.Event{}, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			if e.ID, err = strconv.Atoi(value); err != nil {
				return harness.Event{}, err
			}
		case "event":
			e.Name = value
		case "data":
			e.Data = json.RawMessage(value)
		}
		if line == "\n" && e.Name != "" {
			return e, nil
		}
	}
}

// checkInsights checks that the system stands by its insights: a repeated request gets
// the same response, and a resumed stream has the remaining events.
func (p *promises) checkInsights(t *testing.T, c *harness.Client) {
	t.Helper()
	ask := func(body object, last int) *harness.Answer {
		return c.Do(harness.Request{
			Method: http.MethodPost, Path: "/insights", Body: plus(body, "stream", true), Header: map[string]string{"Last-Event-ID": strconv.Itoa(last)},
		}).OK(nil)
	}
	resumed := 0
	for request, was := range p.insights {
		body := decode[object](t, request)
		want := unsigned(t, c.Post("/insights", body).OK(nil).Body)
		if was.answer != "" && was.answer != want {
			t.Errorf("%.100s: the response was\n%s\nand is now\n%s", request, was.answer, want)
		}
		if was.job != "" {
			if got := unsigned(t, resultOf(t, c, was.job)); got != want {
				t.Errorf("the result of job %s is\n%s\nwant\n%s", was.job, got, want)
			}
		}
		whole := ask(body, 0)
		if got := unsigned(t, collected(t, whole)); got != want {
			t.Errorf("%.100s: streamed\n%s\nwant\n%s", request, got, want)
		}
		for _, told := range was.streams {
			if n := len(told); told[n-1].Name != "done" {
				told = append(told, ask(body, n).Events()...)
				resumed++
			}
			sameEvents(t, told, whole.Events())
		}
	}
	t.Logf("%d interrupted streams were resumed", resumed)
}

// sameEvents checks that the events received are exactly those of the whole stream, apart
// from the presigned URL in the last one.
func sameEvents(t *testing.T, told, want []harness.Event) {
	t.Helper()
	if len(told) != len(want) {
		t.Errorf("received %d events, want %d", len(told), len(want))
		return
	}
	for i, e := range told {
		data, wanted := string(e.Data), string(want[i].Data)
		if e.Name == "done" {
			data, wanted = unsigned(t, e.Data), unsigned(t, want[i].Data)
		}
		if e.ID != i+1 || e.Name != want[i].Name || data != wanted {
			t.Errorf("event %d is %d %s %s, want %s %s", i+1, e.ID, e.Name, data, want[i].Name, wanted)
		}
	}
}

// checkReadings checks how many times insight.completed was published for each job: once
// for a stored document, never for a text.
func (p *promises) checkReadings(t *testing.T, told map[string]int) {
	t.Helper()
	for _, was := range p.insights {
		want := 1
		if was.document == "" {
			want = 0
		}
		if was.job != "" && told[was.job] != want {
			t.Errorf("job %s about document %q has %d insight.completed events, want %d", was.job, was.document, told[was.job], want)
		}
	}
}
