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

// signedURL matches the only part that differs between responses with the same insights.
var signedURL = regexp.MustCompile(`"signed_url":"[^"]+"`)

// unsigned returns a response without its presigned URL.
func unsigned(answer []byte) string {
	return signedURL.ReplaceAllString(string(answer), `"signed_url":""`)
}

// insightsOf returns a request for some insights about a source.
func insightsOf(source, value string) map[string]any {
	return map[string]any{source: value, "insights": []map[string]string{{"type": "document_title"}, {"type": "document_clauses"}, {"type": "document_fields"}}}
}

// text returns a request for insights about one of 16 texts, so that texts repeat.
func (l *load) text() map[string]any {
	return insightsOf("doc_text", fmt.Sprintf("AGREEMENT %d\n\n1. Governing Law\nThis Agreement is governed by the laws of Sweden.\n", l.n.Add(1)%16))
}

// told checks that repeated requests for insights get the same response.
func (l *load) told(body map[string]any, answer []byte) {
	request, got := fmt.Sprint(body), unsigned(answer)
	l.mu.Lock()
	first := l.insights[request]
	if first == "" {
		l.insights[request] = got
	}
	l.mu.Unlock()
	if first != "" && first != got {
		l.fail("%s got %s, then %s", request, first, got)
	}
}

// read requests insights and waits for them.
func (l *load) read(ctx context.Context) {
	body := l.text()
	if a := l.ask(ctx, "insights", http.MethodPost, "/insights", body); a.status == http.StatusOK {
		l.told(body, a.body)
	}
}

// readLater requests insights about a document asynchronously and records the job.
func (l *load) readLater(ctx context.Context) {
	id, _, ok := l.any()
	if !ok {
		return
	}
	a := l.ask(ctx, "insights later", http.MethodPost, "/insights", insightsOf("document_id", id), "Prefer", "respond-async")
	var job struct{ ID string }
	if a.status == http.StatusAccepted && json.Unmarshal(a.body, &job) == nil {
		l.mu.Lock()
		l.readings[job.ID] = id
		l.mu.Unlock()
		l.await(ctx, job.ID)
	}
}

// follow requests insights as a stream and resumes it until it ends. Each event must
// arrive once and in order.
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
		return false // the gateway has shut down: resume
	})
	if !ended {
		l.fail("a stream does not end after event %d", last)
	}
}

// broken checks that an error that ends a stream is 5003 or 5004, and that the load is
// not strict.
func (l *load) broken(data string) {
	var p struct{ Code int }
	if err := json.Unmarshal([]byte(data), &p); err != nil || p.Code != 5003 && p.Code != 5004 || l.strict.Load() {
		l.fail("a stream ends with %s", data)
	}
}

// parts returns the parts of an event. The name of a comment is "".
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

// checkReading waits for a job and checks that its result equals the response to the
// same request sent synchronously.
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
		t.Errorf("the result of job %s is %s, but the same request gets %d %s", job, got, a.status, a.body)
	}
}
