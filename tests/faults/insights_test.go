package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// signedURL finds what differs from one answer to the next.
var signedURL = regexp.MustCompile(`"signed_url":"[^"]+"`)

// unsigned returns an answer without its signature.
func unsigned(answer []byte) string {
	return signedURL.ReplaceAllString(string(answer), `"signed_url":""`)
}

// insightsOf asks for some insights about a source.
func insightsOf(source, value string) map[string]any {
	return map[string]any{source: value, "insights": []map[string]string{{"type": "document_title"}, {"type": "document_clauses"}, {"type": "document_fields"}}}
}

// text is a text that is read, one of a few, so that each is asked for again.
func (l *load) text() map[string]any {
	return insightsOf("doc_text", fmt.Sprintf("AGREEMENT %d\n\n1. Governing Law\nThis Agreement is governed by the laws of Sweden.\n", l.n.Add(1)%16))
}

// told notes the answer to a request for insights: it is the same each time.
func (l *load) told(body map[string]any, answer []byte) {
	request, got := fmt.Sprint(body), unsigned(answer)
	l.mu.Lock()
	first := l.insights[request]
	if first == "" {
		l.insights[request] = got
	}
	l.mu.Unlock()
	if first != "" && first != got {
		l.fail("%s was answered %s, and then %s", request, first, got)
	}
}

// read asks for insights and waits for them.
func (l *load) read(ctx context.Context) {
	body := l.text()
	if a := l.ask(ctx, "insights", http.MethodPost, "/insights", body); a.status == http.StatusOK {
		l.told(body, a.body)
	}
}

// readLater has a document read and remembers the job.
func (l *load) readLater(ctx context.Context) {
	id, _, ok := l.any()
	if !ok {
		return
	}
	a := l.ask(ctx, "insights later", http.MethodPost, "/insights", insightsOf("document_id", id), "Prefer", "respond-async")
	var job struct{ ID string }
	if a.status == http.StatusAccepted && json.Unmarshal(a.body, &job) == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.readings[job.ID] = id
	}
}

// follow asks for insights as a stream, and goes on with it until its end: each event
// is told once and in order.
func (l *load) follow(ctx context.Context) {
	body := l.text()
	body["stream"] = true
	last := 0
	ended := until(ctx, func() bool {
		a := l.ask(ctx, "stream", http.MethodPost, "/insights", body, "Last-Event-ID", strconv.Itoa(last))
		if a.status != http.StatusOK {
			return false
		}
		for _, event := range bytes.Split(a.body, []byte("\n\n")) {
			id, name, data := parts(string(event))
			switch {
			case name == "":
			case name == "error":
				l.broken(data)
				return false
			case id != last+1:
				l.fail("event %d of a stream follows event %d: %s", id, last, event)
				return true
			default:
				last = id
			}
			if name == "done" {
				delete(body, "stream")
				l.told(body, []byte(data))
				return true
			}
		}
		return false // the gateway has ended
	})
	if !ended {
		l.fail("a stream does not end after event %d", last)
	}
}

// broken looks at an error that ends a stream.
func (l *load) broken(data string) {
	var p struct{ Code int }
	if err := json.Unmarshal([]byte(data), &p); err != nil || p.Code != 5003 && p.Code != 5004 || l.strict.Load() {
		l.fail("a stream ends with %s", data)
	}
}

// parts returns what is in an event, "" for the name of a comment.
func parts(event string) (id int, name, data string) {
	for line := range strings.Lines(event) {
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			id, _ = strconv.Atoi(value)
		case "event":
			name = value
		case "data":
			data = value
		}
	}
	return id, name, data
}

// checkReading waits for a job and holds that its result is what the same request is
// answered with.
func (l *load) checkReading(ctx context.Context, t *testing.T, job, document string) {
	t.Helper()
	var shown struct {
		State  string
		Result json.RawMessage
		Error  json.RawMessage
	}
	ended := until(ctx, func() bool {
		a := l.ask(ctx, "check", http.MethodGet, "/jobs/"+job, nil)
		return a.status == http.StatusOK && json.Unmarshal(a.body, &shown) == nil && (shown.State == "succeeded" || shown.State == "failed")
	})
	if !ended || shown.State != "succeeded" {
		t.Errorf("job %s is %+v", job, shown)
		return
	}
	a := l.ask(ctx, "check", http.MethodPost, "/insights", insightsOf("document_id", document))
	if got := unsigned(shown.Result); a.status != http.StatusOK || got != unsigned(a.body) {
		t.Errorf("the result of job %s is %s, the same request is answered %d %s", job, got, a.status, a.body)
	}
}
