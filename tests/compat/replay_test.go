package compat

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// recordedExchanges returns the recorded exchanges in their order.
func recordedExchanges(t *testing.T) (all []*exchange) {
	t.Helper()
	files, err := filepath.Glob(recorded("messages", "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("found the messages of %d subjects, want 30 or more; %v", len(files), err)
	}
	for _, file := range files {
		all = append(all, read[[]*exchange](t, "messages", filepath.Base(file))...)
	}
	slices.SortFunc(all, func(a, b *exchange) int { return a.Step - b.Step })
	return all
}

// replay sends recorded requests as they were recorded.
type replay struct {
	*world
	comparison
	uploads map[string]string // presigned URLs, by the id of the file
}

func newReplay(w *world) *replay {
	return &replay{world: w, comparison: comparison{ids: map[string]string{}, names: map[string]string{}}, uploads: map[string]string{}}
}

// send sends the request of an exchange and returns the differences of its reply.
func (r *replay) send(t *testing.T, e *exchange) ([]string, error) {
	m := &nats.Msg{Subject: e.Subject, Header: nats.Header{}, Data: []byte(r.translate(string(e.Request.data())))}
	for name, value := range e.Header {
		m.Header.Set(name, r.translate(value))
	}
	if claim := e.Header[headerClaim]; claim != "" {
		if err := r.claim(t, claim); err != nil {
			return nil, err
		}
	}
	reply, err := r.nc.RequestMsgWithContext(patience.Context(t), m)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("no service answers on the subject %s, which %s calls: serve it until no supported version calls it", e.Subject, version)
	}
	if err != nil {
		return nil, err
	}
	if code := reply.Header.Get(headerErrorCode); code != e.Error {
		return nil, fmt.Errorf("the reply has the error code %q, and was recorded with %q: %s", code, e.Error, reply.Data)
	}
	c := r.comparison
	c.shape = strings.HasPrefix(e.Subject, "insight.") || e.Error != "" // what is found improves, and so do texts
	body := newPayload(reply.Data)
	if len(body.JSON) > 0 {
		r.remember(decode(body.JSON))
	}
	return c.payloads(e.Reply, body), nil
}

// claim stores the recorded chunks of a claim check.
func (r *replay) claim(t *testing.T, name string) error {
	js, err := jetstream.New(r.nc)
	if err != nil {
		return err
	}
	receiver, _, _ := strings.Cut(name, ".")
	for _, chunk := range read[[]message](t, "claims", receiver+".json") {
		if !strings.HasPrefix(chunk.Subject, "claims."+name+".") {
			continue
		}
		// The length of an id does not change, so neither does the size of the claim.
		_, err := js.PublishMsg(patience.Context(t), &nats.Msg{Subject: chunk.Subject, Data: []byte(r.translate(string(chunk.Body.data())))})
		if err != nil {
			return err
		}
	}
	return nil
}

// remember notes the upload URLs in a reply.
func (r *replay) remember(v any) {
	switch v := v.(type) {
	case map[string]any:
		id, _ := v["id"].(string)
		if url, ok := v["upload_url"].(string); ok {
			r.uploads[id] = url
		}
		for _, member := range v {
			r.remember(member)
		}
	case []any:
		for _, item := range v {
			r.remember(item)
		}
	}
}

// check replays an exchange, and fails the test unless the reply is the recorded one. It
// repeats a question for jobs until then, because jobs take time.
func (r *replay) check(t *testing.T, e *exchange) {
	t.Helper()
	if e.File != "" {
		put(t, r.uploads[r.ids[e.File]], e.Request.data())
		return
	}
	var differences []string
	var err error
	once := func() bool {
		differences, err = r.send(t, e)
		return err == nil && len(differences) == 0
	}
	unfinished := strings.HasSuffix(e.Subject, ".job") || strings.HasSuffix(e.Subject, ".jobs")
	for deadline := patience.Context(t); !once() && unfinished && deadline.Err() == nil; {
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil || len(differences) > 0 {
		t.Errorf("step %d, %s of %s: %v\n  %s", e.Step, e.Subject, version, err, strings.Join(differences, "\n  "))
	}
}

// TestOldRequests sends the recorded requests of a whole session to the services of this
// tree. Their replies have at least the recorded members, with the same values. The recorded
// version can read all that the services send and store meanwhile.
func TestOldRequests(t *testing.T) {
	w := newWorld(t, inFolder(t.TempDir()))
	w.listen(t)
	w.start()
	r := newReplay(w)
	for _, e := range recordedExchanges(t) {
		r.check(t, e)
	}
	w.checkWritten(t)
}

// restored returns a world with the recorded databases and objects.
func restored(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	for name, script := range dumps(t) {
		restore(t, revive(script), filepath.Join(dir, name+".db"))
	}
	w := newWorld(t, inFolder(dir))
	w.putObjects(t, "")
	return w
}

// putObjects stores the recorded objects of a folder.
func (w *world) putObjects(t *testing.T, folder string) {
	t.Helper()
	for key, content := range read[map[string][]byte](t, folder, "objects.json") {
		if err := w.Blobs.Put(t.Context(), key, bytes.NewReader(content), int64(len(content)), "application/octet-stream"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOldDatabases starts the services of this tree with the recorded databases. They
// migrate them, and answer what was recorded about every record.
func TestOldDatabases(t *testing.T) {
	restored(t).checkOld(t, slices.DeleteFunc(recordedExchanges(t), func(e *exchange) bool { return !e.Reads }), read[gatewayCall](t, "gateway.json"))
}

// checkOld starts the services with what is recorded, and repeats exchanges that read it and
// the request to the gateway.
func (w *world) checkOld(t *testing.T, reads []*exchange, call gatewayCall) {
	t.Helper()
	w.start()
	r := newReplay(w)
	for _, e := range reads {
		r.check(t, e)
	}
	for was, is := range r.ids {
		if was != is {
			t.Errorf("the id %s became %s", was, is)
		}
	}
	w.startGateway()
	status, reply := w.send(call)
	if differences := r.payloads(call.Reply, reply); status != call.Status || len(differences) > 0 {
		t.Errorf("the repeated request is answered with %d: %s\n  %s", status, reply.data(), strings.Join(differences, "\n  "))
	}
}

// TestOldGoneSubject shows that a recorded request whose subject nothing serves any longer
// fails the check.
func TestOldGoneSubject(t *testing.T) {
	w := newWorld(t, inFolder(t.TempDir()))
	w.startDocument()
	_, err := newReplay(w).send(t, &exchange{Subject: "document.fetch", Header: map[string]string{"Recto-Caller": "gateway"}})
	if err == nil || !strings.Contains(err.Error(), "no service answers on the subject document.fetch") {
		t.Errorf("a subject that nothing serves: %v", err)
	}
}

// TestOldEvents delivers the recorded events to the services of this tree, which have the
// recorded databases. Every consumer handles all of them, and a purge removes what is stored
// about its document: the events name one that the databases know.
func TestOldEvents(t *testing.T) {
	w := restored(t)
	w.startAnnotation() // first: a purge must reach every service
	w.startConversion(jobrun.API)
	w.startInsight(jobrun.All)
	w.startDocument()
	js := w.JetStream()
	files, err := filepath.Glob(recorded("events", "*.json"))
	if err != nil || len(files) < 9 {
		t.Fatalf("found %d event types, want 9 or more; %v", len(files), err)
	}
	form := subject(read[[]message](t, "events", "annotation.completed.json")[0])
	purged := comparison{ids: map[string]string{subject(read[[]message](t, "events", "document.purged.json")[0]): form}}
	if n := w.count(form); n < 4 {
		t.Errorf("%d records about the document are recorded, want 4 or more", n)
	}
	for _, file := range files {
		for _, m := range read[[]message](t, "events", filepath.Base(file)) {
			sent := m.message()
			sent.Subject, sent.Data = purged.translate(sent.Subject), []byte(purged.translate(string(sent.Data)))
			if _, err := js.PublishMsg(patience.Context(t), sent); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"gateway", "conversion", "conversion-deleted", "annotation", "annotation-deleted", "insight", "insight-deleted", "insight-sealed"} {
		if name == "gateway" {
			w.startGateway()
		}
		patience.Until(t, "consumer "+name+" has handled all events", func() bool {
			c, err := js.Consumer(patience.Context(t), "EVENTS", name)
			if err != nil {
				t.Fatal(err)
			}
			info := c.CachedInfo()
			return info.NumPending == 0 && info.NumAckPending == 0
		})
	}
	if n := w.count(form); n > 0 {
		t.Errorf("%d records about the document are left after the event of %s that it was purged", n, version)
	}
	for name, s := range w.services {
		if log := s.Log.String(); strings.Contains(log, "cannot be decoded") {
			t.Errorf("%s dropped an event of %s:\n%s", name, version, log)
		}
	}
}

// subject returns the id of the document or of the job that a message is about.
func subject(m message) string { return m.Subject[strings.LastIndex(m.Subject, ".")+1:] }

// count counts what the services other than document have stored about a document, except
// its fingerprint and the fields of its file, which an event that it was sealed renews.
func (w *world) count(document string) (n int) {
	w.T.Helper()
	for _, in := range [][3]string{
		{"conversion", "jobs", "subject"}, {"annotation-jobs", "jobs", "subject"}, {"insight-jobs", "jobs", "subject"},
		{"annotation", "registries", "document"}, {"insight", "insights", "document"},
	} {
		n += len(query(w.T, openSQL(w.T, w.at(in[0])), "SELECT 1 FROM "+in[1]+" WHERE "+in[2]+" = '"+document+"'"))
	}
	return n
}

// message returns the message as it was published.
func (m message) message() *nats.Msg {
	header := nats.Header{}
	for name, value := range m.Header {
		header.Set(name, value)
	}
	return &nats.Msg{Subject: m.Subject, Header: header, Data: m.Body.data()}
}

// TestOldJob starts the services of this tree with a job that the recorded version has
// queued and not begun, and delivers its message.
func TestOldJob(t *testing.T) {
	w := restored(t)
	dir := t.TempDir()
	restore(t, revive(string(readFile(t, "queued.sql"))), filepath.Join(dir, "conversion.db"))
	others := w.at
	w.at = func(part string) string {
		if part == "conversion" {
			return inFolder(dir)(part)
		}
		return others(part)
	}
	w.startDocument()
	w.startConversion(jobrun.All)
	messages := read[[]message](t, "jobs", "convert.json")
	queued := messages[len(messages)-1]
	if _, err := w.JetStream().PublishMsg(patience.Context(t), queued.message()); err != nil {
		t.Fatal(err)
	}
	submitted := read[[]*exchange](t, "messages", "conversion.submit.json")[0]
	r := newReplay(w)
	job := &exchange{Subject: "conversion.job", Header: submitted.Header, Request: payload{JSON: jsontext.Value(`{"id":"` + subject(queued) + `"}`)}}
	job.Reply = payload{JSON: jsontext.Value(`{"state":"succeeded"}`)}
	r.check(t, job)
}

// readFile reads a file of the recording.
func readFile(t *testing.T, elements ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(recorded(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
