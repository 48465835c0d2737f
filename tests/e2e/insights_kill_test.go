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

// reading is what was answered to a request for insights, in whatever way it was
// sent.
type reading struct {
	document string // that it is about, "" for a text
	answer   string // unsigned, "" if there was none
	job      string // "" if none was accepted
	streams  [][]harness.Event
}

// way is one of asking for insights.
type way string

const (
	atOnce   way = "at once"
	inAJob   way = "in a job"
	inEvents way = "in events"
	inPart   way = "in events, of which the client takes the first ones"
)

// part is how many events a client takes that takes the first ones.
const part = 4

var waysToAsk = []way{inPart, inAJob, atOnce, inEvents}

// readText has a text read that the mark makes a text of its own.
func (l *loader) readText(mark string, how way) {
	l.read(about("doc_text", agreementText+"\nSchedule "+mark+"\n"), "", how)
}

// createUploadRead makes a document, uploads its content and has it read in each
// way, last of all later: its event is told once all the same.
func (l *loader) createUploadRead(mark string) {
	d, ok := l.createUpload("a.txt", agreementText+"\nSchedule "+mark+"\n")
	if !ok {
		return
	}
	for _, how := range []way{inPart, inAJob, inEvents, inAJob} {
		l.read(about("document_id", d.ID), d.ID, how)
	}
}

// read asks for insights and notes what is answered.
func (l *loader) read(request object, document string, how way) {
	data, err := json.Marshal(request)
	if err != nil {
		panic(err) // the tests make it
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

// note adds what was answered to a request. What was answered before still holds.
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
			l.p.errors = append(l.p.errors, fmt.Sprintf("the same request had the %s %s, and then %s", of.what, *of.was, *of.got))
		}
	}
	was.streams = append(was.streams, got.streams...)
}

// readEvents asks for a stream and returns it, with as many events as there were and
// the client takes; nothing if there was none.
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
			l.wrong("a stream is answered %d", s.response.StatusCode)
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
		if e.Name == "error" { // it is not the end of what there is to tell
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

// liveStream is a stream of events that is read as it comes.
type liveStream struct {
	response *http.Response
	lines    *bufio.Reader
}

// openStream asks for a stream of what follows an event.
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

// next returns the next event. One that is cut off is none.
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

// checkInsights holds a system to what it has answered of insights: whoever asks
// again is told the same, and who has some of the events gets the rest of them.
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
			t.Errorf("%.100s: was answered\n%s\nand is\n%s", request, was.answer, want)
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
	t.Logf("%d streams went on that were cut off", resumed)
}

// sameEvents holds that what was told is all that there is to tell, but for the
// signature at its end.
func sameEvents(t *testing.T, told, want []harness.Event) {
	t.Helper()
	if len(told) != len(want) {
		t.Errorf("%d events were told, there are %d", len(told), len(want))
		return
	}
	for i, e := range told {
		data, wanted := string(e.Data), string(want[i].Data)
		if e.Name == "done" {
			data, wanted = unsigned(t, e.Data), unsigned(t, want[i].Data)
		}
		if e.ID != i+1 || e.Name != want[i].Name || data != wanted {
			t.Errorf("event %d was told as %d %s %s, and is %s %s", i+1, e.ID, e.Name, data, want[i].Name, wanted)
		}
	}
}

// checkReadings looks at how often the end of each job was told: of a stored document
// once, of a text never.
func (p *promises) checkReadings(t *testing.T, told map[string]int) {
	t.Helper()
	for _, was := range p.insights {
		want := 1
		if was.document == "" {
			want = 0
		}
		if was.job != "" && told[was.job] != want {
			t.Errorf("that job %s has read %q was told %d times", was.job, was.document, told[was.job])
		}
	}
}
