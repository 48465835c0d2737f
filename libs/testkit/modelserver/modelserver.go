// Package modelserver is a language model for tests: a local server that speaks the
// protocols of OpenAI, Anthropic, Ollama and others, and answers from a script. It fails as
// real providers do: it is slow, breaks off, truncates, refuses and limits rates.
package modelserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The protocols. Those of GoogleAI and Mistral are the one of OpenAI, with differences.
const (
	OpenAI    = "openai"
	GoogleAI  = "googleai"
	Mistral   = "mistral"
	Anthropic = "anthropic"
	Ollama    = "ollama"
)

// Request is a request that the server received.
type Request struct {
	Protocol string
	// Key is the API key, "" if there is none.
	Key   string
	Model string
	// System, Text and Answers are what the system, the user and the model have said, in
	// order and joined by empty lines.
	System, Text, Answers string
	// Schema is the JSON schema that the answer must have, nil if there is none. JSON says
	// that any JSON is asked for.
	Schema jsontext.Value
	JSON   bool
	Stream bool
	// MaxTokens is the limit of the answer, 0 if there is none.
	MaxTokens int
	// Count is how many requests came before this one.
	Count int
	// Header and Body are those of the HTTP request.
	Header http.Header
	Body   jsontext.Value
}

// Reply is what the server does with a Request. The zero Reply is an empty JSON object.
type Reply struct {
	// JSON is the answer of the model. It may be anything; a model that must answer with a
	// tool answers in plain text if it is no JSON object.
	JSON string
	// Thinking is what the model says before that, and Fenced puts the answer into a block
	// of Markdown.
	Thinking string
	Fenced   bool
	// Finish is why the answer ends, Length if it is too long: then only half of it is
	// sent. The default is the one of the protocol for a complete answer.
	Finish string
	// Refuse declines to answer.
	Refuse bool
	// Usage is what the answer costs. The default is computed from the lengths.
	Usage Usage
	// NoUsage omits it.
	NoUsage bool

	// Status is the HTTP status, 200 by default. All others come with an error that has
	// the Message and the Code.
	Status        int
	Message, Code string
	// RetryAfter is sent in the header of the same name, in seconds. Header is sent too.
	RetryAfter time.Duration
	Header     http.Header

	// Wait delays the reply until the channel is closed, Stall does so in the middle of it.
	Wait, Stall <-chan struct{}
	// Drip is the time between two parts of the reply.
	Drip time.Duration
	// Cut ends the reply in the middle.
	Cut Cut
	// Raw is sent as it is, instead of all that a model says.
	Raw string
}

// Length is the Reply.Finish of an answer that reached the limit of its length.
const Length = "length"

// Cut says how a reply ends in the middle.
type Cut int

const (
	// Whole replies do not.
	Whole Cut = iota
	// Ended replies end as if nothing was missing, which is what some proxies do when
	// they lose the server.
	Ended
	// Closed replies end because the server closes the connection.
	Closed
)

// Usage counts tokens. Input includes Cached.
type Usage struct{ Input, Cached, Output int }

// Server is a running server. It is safe for concurrent use.
type Server struct {
	address string
	stopped chan struct{}

	mu           sync.Mutex
	script       func(Request) Reply
	requests     []Request
	active, peak int
	gone         int
}

// Start starts a server on a free port of this machine. It ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartOn(t, "127.0.0.1:0")
}

// StartOn is like Start, but listens on an address that the test chooses, for clients on
// other machines.
func StartOn(t testing.TB, address string) *Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{address: listener.Addr().String(), stopped: make(chan struct{}), script: func(Request) Reply { return Reply{} }}
	web := &http.Server{Handler: s.routes(), ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	t.Cleanup(func() {
		close(s.stopped)
		_ = web.Shutdown(context.WithoutCancel(t.Context()))
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("the model server failed: %v", err)
		}
	})
	return s
}

// Address returns where the server listens, host:port.
func (s *Server) Address() string { return s.address }

// URL returns the base URL for clients of a protocol.
func (s *Server) URL(protocol string) string {
	base := "http://" + s.address
	switch protocol {
	case Ollama:
		return base
	case GoogleAI:
		return base + "/v1beta/openai"
	case Mistral:
		return base + "/mistral/v1"
	}
	return base + "/v1"
}

// Script sets how requests are answered from now on. The function may be called
// concurrently.
func (s *Server) Script(answer func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = answer
}

// Requests returns the requests so far, in the order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Peak returns how many requests were answered concurrently at most.
func (s *Server) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

// Gone returns how many clients went away before the end of their reply, as far as the
// server noticed: it does so in Wait and Stall, and when it sends.
func (s *Server) Gone() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// begin records a request and returns its reply.
func (s *Server) begin(r Request) Reply {
	s.mu.Lock()
	r.Count = len(s.requests)
	s.requests = append(s.requests, r)
	s.active++
	s.peak = max(s.peak, s.active)
	script := s.script
	s.mu.Unlock()
	return script(r)
}

// end records that a request was answered.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
}

// wait waits until a channel is closed, and reports whether the client is still there. A
// nil channel does not wait.
func (s *Server) wait(ctx context.Context, until <-chan struct{}) bool {
	if until == nil {
		return true
	}
	select {
	case <-until:
		return true
	case <-s.stopped:
		return false
	case <-ctx.Done():
		s.left()
		return false
	}
}

// left records that a client went away.
func (s *Server) left() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone++
}
