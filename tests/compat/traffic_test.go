package compat

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/testkit/patience"
)

// exchange is a request to a service with its reply, an upload to a presigned URL, or a
// request to the gateway.
type exchange struct {
	// Step numbers the exchanges of a recording. Reads is set if the exchange changes
	// nothing, so that it can be repeated with the recorded databases.
	Step  int  `json:"step"`
	Reads bool `json:"reads,omitzero"`
	// Subject is that of the request. For an upload it is "", and File is the id of the
	// file whose upload URL the body is sent to.
	Subject string            `json:"subject,omitzero"`
	File    string            `json:"file,omitzero"`
	Header  map[string]string `json:"header,omitzero"`
	Request payload           `json:"request"`
	// Error is the code of a reply that is an error.
	Error string  `json:"error,omitzero"`
	Reply payload `json:"reply,omitzero"`
	// answered is set once the reply was seen.
	answered bool
}

// message is a message without a reply: an event, a job, a chunk of a claim, an entry of a
// log or a notice.
type message struct {
	Subject string            `json:"subject"`
	Header  map[string]string `json:"header,omitzero"`
	Body    payload           `json:"body,omitzero"`
}

// payload is the body of a message: JSON, a text or any other bytes.
type payload struct {
	JSON  jsontext.Value `json:"json,omitzero"`
	Text  string         `json:"text,omitzero"`
	Bytes []byte         `json:"bytes,omitzero"`
	// Spaces is how many spaces follow the text. They make a message large.
	Spaces int `json:"spaces,omitzero"`
}

// newPayload returns the payload with the data.
func newPayload(data []byte) payload {
	if v := jsontext.Value(data); v.IsValid() && len(data) < 64<<10 {
		return payload{JSON: slices.Clone(v)}
	}
	if !utf8.Valid(data) {
		return payload{Bytes: slices.Clone(data)}
	}
	trimmed := bytes.TrimRight(data, " ")
	return payload{Text: string(trimmed), Spaces: len(data) - len(trimmed)}
}

// data returns the body of the message.
func (p payload) data() []byte {
	switch {
	case len(p.JSON) > 0:
		return p.JSON
	case len(p.Bytes) > 0:
		return p.Bytes
	}
	return append([]byte(p.Text), bytes.Repeat([]byte(" "), p.Spaces)...)
}

// headers returns the headers that begin with a prefix of Recto or NATS. What OpenTelemetry
// adds is not part of the contract.
func headers(h nats.Header) map[string]string {
	kept := map[string]string{}
	for name := range h {
		if strings.HasPrefix(name, "Recto-") || strings.HasPrefix(name, "Nats-") {
			kept[name] = h.Get(name)
		}
	}
	return kept
}

// The headers that the tests look at.
const (
	headerCaller    = "Recto-Caller"
	headerClaim     = "Recto-Claim"
	headerTimeout   = "Recto-Timeout"
	headerErrorCode = "Nats-Service-Error-Code"
)

// traffic is what passed the bus.
type traffic struct {
	tap *nats.Subscription
	mu  sync.Mutex
	// reads marks the exchanges, and paused stops recording them.
	reads, paused bool
	exchanges     []*exchange
	pending       map[string]*exchange // by the subject of the reply
	messages      []message
}

// listen records everything that passes the bus until the test ends.
func (w *world) listen(t *testing.T) {
	t.Helper()
	w.traffic = &traffic{pending: map[string]*exchange{}}
	var err error
	if w.traffic.tap, err = w.nc.Subscribe(">", w.traffic.see); err != nil {
		t.Fatal(err)
	}
	if err := w.nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

// catchUp waits until everything that has passed the bus is recorded. A reply reaches the
// one that asked and the recording in no certain order.
func (w *world) catchUp(t *testing.T) {
	t.Helper()
	if err := w.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "what passed the bus is recorded", func() bool {
		left, _, err := w.traffic.tap.Pending()
		return err != nil || left == 0
	})
}

// see records a message: a request that the gateway sends, its reply, or one without a
// reply. What services ask of each other is recorded where the gateway asks the same; only
// derive is asked by no one else.
func (r *traffic) see(m *nats.Msg) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.pending[m.Subject]; e != nil {
		e.Error, e.Reply, e.answered = m.Header.Get(headerErrorCode), newPayload(m.Data), true
		delete(r.pending, m.Subject)
		return
	}
	caller := m.Header.Get(headerCaller)
	switch kind, _, _ := strings.Cut(m.Subject, "."); kind {
	case "document", "annotation", "conversion", "insight":
		if r.paused {
			return
		}
		if caller == "gateway" || m.Subject == "conversion.derive" {
			e := &exchange{Step: len(r.exchanges) + 1, Reads: r.reads, Subject: m.Subject, Header: headers(m.Header), Request: newPayload(m.Data)}
			e.Header[headerTimeout] = "30000" // the time left differs each time
			r.exchanges, r.pending[m.Reply] = append(r.exchanges, e), e
		}
	case "events", "jobs", "log", "claims":
		r.messages = append(r.messages, message{Subject: m.Subject, Header: headers(m.Header), Body: newPayload(m.Data)})
	}
}

// uploaded records an upload.
func (r *traffic) uploaded(file string, content []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exchanges = append(r.exchanges, &exchange{Step: len(r.exchanges) + 1, File: file, Request: payload{Bytes: content}})
}

// set says whether the next exchanges only read, and whether they are recorded at all.
func (r *traffic) set(reads, paused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads, r.paused = reads, paused
}

// has reports whether a message with the subject was seen.
func (r *traffic) has(prefix string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.messages, func(m message) bool { return strings.HasPrefix(m.Subject, prefix) })
}

// encode returns a recording as indented JSON.
func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}
