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
	// Data is a JSON object. For an event written as a line of JSON it holds the
	// members other than id and event.
	Data json.RawMessage
}

// The media types of streams.
const (
	EventStream = "text/event-stream"
	JSONLines   = "application/x-ndjson"
)

// stream returns the media type if the response is a stream, and "" otherwise.
func (a *Answer) stream() string {
	switch t, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type")); t {
	case EventStream, JSONLines:
		return t
	}
	return ""
}

// Events returns the events of a stream. It fails the test if the response is not a
// valid stream.
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
		a.t.Fatalf("status %d: not a stream: %s", a.Status, a.Body)
	}
	return events
}

// serverSentEvents parses lines according to section 9.2.6 of the HTML standard.
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
				t.Errorf("id %q is not a number", value)
			}
			e.ID = id
		case name == "event":
			e.Name = value
		case name == "data":
			e.Data = append(e.Data, value...)
		case name != "": // not a comment
			t.Errorf("unexpected line %q", lines.Text())
		}
	}
	return events
}

// jsonLine parses an event that is written as a line of JSON.
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
		t.Fatalf("line %s: %v", line, err)
	}
	delete(members, "id")
	delete(members, "event")
	if e.Data, err = json.Marshal(members); err != nil {
		t.Fatal(err)
	}
	return e
}

// checkEvents fails t if an event of a stream does not match the description.
func (s *specification) checkEvents(t testing.TB, a *Answer) {
	t.Helper()
	for _, e := range a.Events() {
		name := map[string]string{"progress": "InsightProgress", "insight": "FoundInsight", "error": "Error", "done": "Insights"}[e.Name]
		if name == "" {
			t.Errorf("unknown event %q", e.Name)
			continue
		}
		visit(t, s.schemas[name].Value, e.Data)
		if e.Name == "insight" {
			s.checkItem(t, e.Data)
		}
	}
}

// checkItem checks an item of an insight event against the schema of its key in the
// whole response.
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
		t.Errorf("item of unknown key %q", item.Key)
		return
	}
	if schema.Value.Items != nil {
		schema = schema.Value.Items
	}
	visit(t, schema.Value, item.Item)
}

// visit fails t unless the JSON matches the schema.
func visit(t testing.TB, schema *openapi3.Schema, data []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := schema.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		t.Errorf("an event does not match its schema: %v\n%s", err, data)
	}
}
