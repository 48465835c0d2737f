package modelserver

import (
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxRequest bounds the body of a request.
const maxRequest = 16 << 20

// protocol is what differs between the APIs.
type protocol interface {
	// read returns what a body asks for, or what is wrong with the request.
	read(h http.Header, body jsontext.Value) (Request, string)
	// whole returns an answer in one piece.
	whole(r Request, a Reply) any
	// parts returns the parts of a streamed answer, each with its framing.
	parts(r Request, a Reply) []string
	// failure returns the body of an error.
	failure(a Reply) any
	// stream is the content type of streamed answers.
	stream() string
}

// routes returns the handler of all protocols.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/chat/completions", s.handler(openAI{name: OpenAI}))
	mux.Handle("POST /v1beta/openai/chat/completions", s.handler(openAI{name: GoogleAI, unknown: []string{"seed"}}))
	mux.Handle("POST /mistral/v1/chat/completions", s.handler(openAI{
		name: Mistral, unknown: []string{"seed", "stream_options", "max_completion_tokens"}, counts: true,
	}))
	mux.Handle("POST /v1/messages", s.handler(anthropic{}))
	mux.Handle("POST /api/chat", s.handler(ollama{}))
	return mux
}

// handler serves a protocol.
func (s *Server) handler(p protocol) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			panic(http.ErrAbortHandler) // the client went away
		}
		asked, wrong := p.read(r.Header, body)
		asked.Header, asked.Body = r.Header.Clone(), body
		reply := s.begin(asked)
		defer s.end()
		if wrong != "" {
			reply = Reply{Status: http.StatusBadRequest, Message: wrong, Code: "invalid_request_error"}
		}
		s.reply(w, r, p, asked, reply.withDefaults(asked))
	})
}

// withDefaults fills in what the script left open.
func (a Reply) withDefaults(r Request) Reply {
	if a.JSON == "" {
		a.JSON = "{}"
	}
	if a.Fenced {
		a.JSON = "```json\n" + a.JSON + "\n```"
	}
	if a.Finish == Length {
		a.JSON = a.JSON[:len(a.JSON)/2]
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	if a.Usage == (Usage{}) {
		a.Usage = Usage{Input: 1 + (len(r.System)+len(r.Text)+len(r.Answers))/4, Output: 1 + len(a.JSON)/4}
	}
	return a
}

// reply sends a reply.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, p protocol, asked Request, a Reply) {
	if !s.wait(r.Context(), a.Wait) {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	if a.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(a.RetryAfter.Seconds()))))
	}
	kind := "application/json"
	var body []string
	switch {
	case a.Raw != "":
		body = halves(a.Raw)
	case a.Status != http.StatusOK:
		body = []string{encode(p.failure(a))}
	case asked.Stream:
		body = p.parts(asked, a)
	default:
		body = halves(encode(p.whole(asked, a)))
	}
	if asked.Stream && a.Status == http.StatusOK {
		kind = p.stream()
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(a.Status)
	s.send(w, r, a, body)
}

// send sends the parts of a body as the reply says. Half of them are the middle.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a Reply, body []string) {
	out := http.NewResponseController(w)
	for i, part := range body {
		if i == len(body)/2 {
			switch {
			case !s.wait(r.Context(), a.Stall), a.Cut == Closed:
				panic(http.ErrAbortHandler)
			case a.Cut == Ended:
				return
			}
		}
		if i > 0 && a.Drip > 0 {
			select {
			case <-time.After(a.Drip):
			case <-s.stopped:
			}
		}
		if _, err := io.WriteString(w, part); err != nil || out.Flush() != nil {
			s.left()
			return
		}
	}
}

// halves cuts a text in two, so that it has a middle.
func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

// pieces cuts what a model says as a stream does: between any two characters.
func pieces(s string) []string {
	const size = 12
	var all []string
	for begin := 0; ; {
		end := len(s)
		for i := range s[begin:] {
			if i >= size {
				end = begin + i
				break
			}
		}
		all = append(all, s[begin:end])
		if begin = end; end == len(s) {
			return all
		}
	}
}

// object is a JSON object of a protocol.
type object = map[string]any

// encode returns JSON text. Answers may be any text, so that it also keeps what is no
// UTF-8 as it is.
func encode(v any) string {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // only a script with a raw value that is no JSON
	}
	return string(data)
}

// decode reads a body of a request as leniently as providers do.
func decode(body jsontext.Value, v any) string {
	if err := json.Unmarshal(body, v); err != nil {
		return "the body is not what the API expects"
	}
	return ""
}

// asObject returns a text as a JSON object, and whether it is one. Names may be duplicate.
func asObject(text string) (jsontext.Value, bool) {
	v := jsontext.Value(text)
	return v, v.Kind() == '{' && v.IsValid(jsontext.AllowDuplicateNames(true))
}
