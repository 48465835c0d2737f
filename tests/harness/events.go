package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"mime"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Event is an event of a stream.
type Event struct {
	ID   int
	Name string
	// Data is a JSON object: of a line of JSON, what is beside its name and id.
	Data json.RawMessage
}

// The types of streams.
const (
	EventStream = "text/event-stream"
	JSONLines   = "application/x-ndjson"
)

// stream returns the type of a stream, "" for an answer that is none.
func (a *Answer) stream() string {
	switch t, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); t {
	case EventStream, JSONLines:
		return t
	}
	return ""
}

// Events reads the events of a stream, and fails the test for what is none.
func (a *Answer) Events() []Event {
	a.t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(a.Body))
	lines.Buffer(nil, len(a.Body)+1)
	var events []Event
	switch a.stream() {
	case EventStream:
		events = serverSentEvents(a.t, lines)
	case JSONLines:
		for lines.Scan() {
			events = append(events, jsonLine(a.t, lines.Bytes()))
		}
	default:
		a.t.Fatalf("status %d: it is no stream: %s", a.Status, a.Body)
	}
	return events
}

// serverSentEvents reads lines as section 9.2.6 of the HTML standard says.
func serverSentEvents(t testing.TB, lines *bufio.Scanner) []Event {
	t.Helper()
	var events []Event
	var e Event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case lines.Text() == "" && e.Name != "":
			events = append(events, e)
			e = Event{}
		case name == "id":
			id, err := strconv.Atoi(value)
			if err != nil {
				t.Errorf("an id %q", value)
			}
			e.ID = id
		case name == "event":
			e.Name = value
		case name == "data":
			e.Data = append(e.Data, value...)
		case name != "": // anything but a comment
			t.Errorf("a line %q", lines.Text())
		}
	}
	return events
}

// jsonLine reads an event that is written as a line of JSON.
func jsonLine(t testing.TB, line []byte) Event {
	t.Helper()
	var members map[string]json.RawMessage
	var e Event
	err := json.Unmarshal(line, &members)
	if err == nil {
		err = json.Unmarshal(members["id"], &e.ID)
	}
	if err == nil {
		err = json.Unmarshal(members["event"], &e.Name)
	}
	if err != nil {
		t.Fatalf("a line %s: %v", line, err)
	}
	delete(members, "id")
	delete(members, "event")
	if e.Data, err = json.Marshal(members); err != nil {
		t.Fatal(err)
	}
	return e
}

// checkEvents fails t if an event of a stream is not as the description says.
func (s *specification) checkEvents(t testing.TB, a *Answer) {
	t.Helper()
	for _, e := range a.Events() {
		name := map[string]string{"progress": "InsightProgress", "insight": "FoundInsight", "error": "Error", "done": "Insights"}[e.Name]
		if name == "" {
			t.Errorf("an event %q", e.Name)
			continue
		}
		visit(t, s.schemas[name].Value, e.Data)
		if e.Name == "insight" {
			s.checkItem(t, e.Data)
		}
	}
}

// checkItem holds an item of a key against what the description says of that key
// of the answer.
func (s *specification) checkItem(t testing.TB, data []byte) {
	t.Helper()
	var item struct {
		Key  string
		Item json.RawMessage
	}
	if err := json.Unmarshal(data, &item); err != nil {
		t.Fatal(err)
	}
	schema := s.schemas["Insights"].Value.Properties[item.Key]
	if schema == nil {
		t.Errorf("an item of %q", item.Key)
		return
	}
	if schema.Value.Items != nil {
		schema = schema.Value.Items
	}
	visit(t, schema.Value, item.Item)
}

// visit fails t unless the JSON is as the schema says.
func visit(t testing.TB, schema *openapi3.Schema, data []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := schema.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		t.Errorf("an event is not as described: %v\n%s", err, data)
	}
}
