package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestStreamsSurviveCrashes kills, in the middle of a stream, each program that is
// involved in it. The client can still read every event once, in order, up to the end.
func TestStreamsSurviveCrashes(t *testing.T) {
	harness.StandaloneOnly(t) // starts its own processes
	s, d := harness.StartProcesses(t, harness.Options{Rate: "unlimited", Env: []string{"INSIGHT_ACK_WAIT=" + patience.Scale(5*time.Second).String(), "CONVERSION_WORKERS=1"}})
	c := s.Client(t)
	transport := s.Transport()
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport, Timeout: 3 * clientTimeout()}
	var paragraphs []harness.Paragraph
	for n := range 500 {
		paragraphs = append(paragraphs, harness.Paragraph{Text: fmt.Sprintf("%d. The Consultant shall deliver part %[1]d of the services with due care, as the parties have agreed in writing, and on 1 March 2027 at the latest.", n+1)})
	}
	long := harness.DOCX(paragraphs...)
	again := func(p *harness.Process) {
		t.Helper()
		_ = p.Kill()
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for name, death := range map[string]func(){
		"the worker":  func() { again(d.Services["insight"]) },
		"the gateway": func() { again(d.Services["gateway"]) },
		"both":        func() { _ = d.Services["gateway"].Kill(); again(d.Services["insight"]); again(d.Services["gateway"]) },
		"the log": func() {
			d.StopNATS()
			if err := d.StartNATS(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := upload(t, c, "a.docx", long)
			body := about("document_id", doc.ID)
			r := &steadyReader{t: t, s: s, http: client, body: plus(body, "stream", true)}
			r.readTo("fetched") // long before fields are requested from annotation
			thaw := freeze(t, d.Services["annotation"])
			r.readTo("document_signers") // fields are next, and annotation does not answer
			death()
			thaw()
			r.readTo("")
			if breaks := map[string]int{"the gateway": 1, "both": 1}[name]; r.breaks < breaks || breaks == 0 && r.breaks > 0 {
				t.Errorf("the stream was interrupted %d times, want %d or more, or none if the gateway survives", r.breaks, breaks)
			}
			eventually(t, func() (string, bool) { return "{}", c.Get("/me").Status == http.StatusOK })
			done := r.events[len(r.events)-1].Data
			if got, want := unsigned(t, done), unsigned(t, c.Post("/insights", body).OK(nil).Body); got != want {
				t.Errorf("the stream ends with\n%s\nwant\n%s", got, want)
			}
			sameEvents(t, r.events, c.Post("/insights", plus(body, "stream", true)).OK(nil).Events())
		})
	}
}

// freeze suspends a program until the returned function is called or the test ends.
func freeze(t *testing.T, p *harness.Process) (thaw func()) {
	t.Helper()
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	thaw = func() {
		if err := p.Thaw(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(thaw)
	return thaw
}

// steadyReader reads a stream and resumes it when it is interrupted.
type steadyReader struct {
	t      *testing.T
	s      *harness.System
	http   *http.Client
	body   object
	stream *liveStream
	events []harness.Event
	breaks int
}

// readTo reads up to the progress event of a stage or, if stage is "", to the end.
func (r *steadyReader) readTo(stage string) {
	r.t.Helper()
	for {
		e := r.next()
		r.events = append(r.events, e)
		if e.ID != len(r.events) {
			r.t.Fatalf("event %d has id %d: %s %s", len(r.events), e.ID, e.Name, e.Data)
		}
		var p struct{ Stage string }
		if err := json.Unmarshal(e.Data, &p); err != nil {
			r.t.Fatal(err)
		}
		if e.Name == "done" && stage == "" || e.Name == "progress" && p.Stage == stage {
			return
		}
		if e.Name == "done" || e.Name == "error" {
			r.t.Fatalf("the stream ends with %s %s", e.Name, e.Data)
		}
	}
}

// next returns the next event. It resumes the stream if it was interrupted.
func (r *steadyReader) next() harness.Event {
	r.t.Helper()
	for end := time.Now().Add(patience.Scale(5 * time.Minute)); time.Now().Before(end); {
		if r.stream == nil {
			stream, err := openStream(r.t.Context(), r.http, r.s, r.body, len(r.events))
			if err != nil {
				pause() // the gateway is down
				continue
			}
			if stream.response.StatusCode != http.StatusOK {
				stream.close()
				pause() // a service that it needs is unavailable
				continue
			}
			r.stream = stream
			r.t.Cleanup(stream.close)
		}
		e, err := r.stream.next()
		if err == nil {
			return e
		}
		r.breaks++
		r.stream = nil
	}
	r.t.Fatalf("no event arrives after event %d", len(r.events))
	return harness.Event{}
}
