package e2e

import (
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/rectohq/recto/libs/engines/natsserver"
	"github.com/rectohq/recto/libs/telemetry"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestPurge deletes a document and waits until it is purged. No trace of it is left
// anywhere, and other documents are complete.
func TestPurge(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Env: []string{
		"DOCUMENT_PURGE_AFTER=1ms", "DOCUMENT_PURGE_EVERY=200ms", "DOCUMENT_SEAL_EVERY=200ms", "CONVERSION_MAX_TRIES=1",
	}})
	c := s.Client(t)
	const text = "The secret of the purged document."
	use := func() (document, accepted) {
		d := upload(t, c, "a.txt", []byte(text))
		var v document
		repeat(c, "version of "+d.ID, "/documents/"+d.ID+"/versions", object{"files": []object{{"name": "b.txt", "type": "text/plain"}}}).OK(&v)
		repeat(c, "conversion of "+d.ID, "/documents/"+d.ID+"/convert?version_number=1", nil).OK(nil)
		var job accepted
		repeat(c, "job of "+d.ID, "/documents/"+d.ID+"/convert?version_number=1", nil, "Prefer", "respond-async").Accepted(&job)
		for _, view := range []string{"", "/1.png", "/1/words"} {
			c.Get("/documents/" + d.ID + "/pages" + view + "?version_number=1").OK(nil)
		}
		repeat(c, "another", "/documents", valid()).OK(nil) // not purged
		annotate(t, c, d.ID, text)
		readBefore(t, c, d.ID)
		return d, job
	}
	gone, job := use()
	kept := upload(t, c, "k.txt", []byte("Another text."))
	c.Post("/documents/"+kept.ID+"/convert", nil).OK(nil)
	readBefore(t, c, kept.ID)
	c.Do(harness.Request{Method: http.MethodDelete, Path: "/documents/" + gone.ID}).OK(nil)
	c.Raw(http.MethodPut, gone.Files[0].UploadURL, []byte(text), nil) // too late: refused, or purged as well
	for end := time.Now().Add(patience.Limit()); len(traces(t, s, gone.ID, job.ID, text)) > 0 && time.Now().Before(end); {
		pause()
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if left := append(traces(t, s, gone.ID, job.ID, text), messages(t, s, gone.ID, job.ID)...); len(left) > 0 {
		t.Errorf("traces are left:\n%s", strings.Join(left, "\n"))
	}
	if left := traces(t, s, kept.ID, "no job", "Another text."); len(left) < 3 {
		t.Errorf("a document that was not deleted has only these traces:\n%s", strings.Join(left, "\n"))
	}
}

// TestSentMaterialExpires requests insights about a text and a URL and waits until both expire. No
// trace of the texts or their insights is left.
func TestSentMaterialExpires(t *testing.T) {
	harness.StandaloneOnly(t)
	const secret = "The secret of the expired text."
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, secret+"\n"+agreementText)
	}))
	defer web.Close()
	ttl := patience.Scale(10 * time.Second)
	o := harness.Options{Dir: t.TempDir(), Env: []string{
		"INSIGHT_DOWNLOAD_URL_TTL=" + ttl.String(), "INSIGHT_KEEP=" + ttl.String(), "INSIGHT_URL_ALLOW=127.0.0.0/8", "INSIGHT_URL_HTTP=true",
	}}
	s := harness.Start(t, o)
	c := s.Client(t)
	var jobs []string
	for source, value := range map[string]string{"doc_text": secret + "\n" + agreementText, "url": web.URL + "/secret-address"} {
		body := about(source, value)
		repeat(c, "sent as "+source, "/insights", body).OK(nil)
		collected(t, repeat(c, "told as "+source, "/insights", plus(body, "stream", true)).OK(nil))
		var job accepted
		c.Do(harness.Request{ // without an Idempotency-Key, which would keep the job's id for a day
			Method: http.MethodPost, Path: "/insights", Body: plus(body, "context", "later"), Header: map[string]string{"Prefer": "respond-async"},
		}).Accepted(&job)
		resultOf(t, c, job.ID)
		jobs = append(jobs, job.ID)
	}
	if left := traces(t, s, "insights/", secret, secret); len(left) < 2 {
		t.Errorf("before they expire there are only these traces:\n%s", strings.Join(left, "\n"))
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2*ttl + time.Second) // twice the validity of a URL
	s = harness.Start(t, o)         // sweeps at once, then every few minutes
	var left []string
	for end := time.Now().Add(patience.Limit()); time.Now().Before(end); {
		left = traces(t, s, secret, "secret-address", secret)
		for _, job := range jobs {
			left = append(left, traces(t, s, job, job, secret)...)
		}
		if len(left) == 0 {
			break
		}
		pause()
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if left = append(left, messages(t, s, append(jobs, secret, "secret-address")...)...); len(left) > 0 {
		t.Errorf("traces are left:\n%s", strings.Join(left, "\n"))
	}
}

// annotate adds a PDF and a Word document with a field as versions of a document, defines
// the field, and fills it with the text, synchronously and by a job, the latter as PDF.
func annotate(t *testing.T, c *harness.Client, id, text string) {
	t.Helper()
	putFields(c, id, object{"fields": []object{{"field_id": "agreementinput-a", "type": "text"}}}).OK(nil)
	path := "/documents/" + id + "/annotate"
	line := "{{agreementinput-a}} in the form of " + id
	for i, content := range [][]byte{textPDF(line), harness.DOCX(harness.Paragraph{Text: line})} {
		name := []string{"form.pdf", "form.docx"}[i]
		var v document
		c.Post("/documents/"+id+"/versions", newVersion(name)).OK(&v)
		put(t, c, v.Files[0].UploadURL, content)
		repeat(c, name+" of "+id, path, values("a", text)).OK(nil)
		var job accepted
		repeat(c, "later "+name+" of "+id, path+"?format=pdf", values("a", text), "Prefer", "respond-async").Accepted(&job)
		if j := ended(t, c, job.ID); j.State != "succeeded" {
			t.Errorf("the job ended as %+v", j)
		}
	}
}

// readBefore requests insights about a document synchronously, by a job and as a stream.
func readBefore(t *testing.T, c *harness.Client, id string) {
	t.Helper()
	body := about("document_id", id)
	repeat(c, "insights of "+id, "/insights", body).OK(nil)
	var job accepted
	repeat(c, "later insights of "+id, "/insights", plus(body, "context", "later"), "Prefer", "respond-async").Accepted(&job)
	resultOf(t, c, job.ID)
	collected(t, repeat(c, "insights in events of "+id, "/insights", plus(plus(body, "context", "in events"), "stream", true)).OK(nil))
}

// traces returns the objects and database rows that contain a document's id, its job's id
// or its text.
func traces(t *testing.T, s *harness.System, id, job, text string) []string {
	t.Helper()
	var found []string
	objects := filepath.Join(s.Dir, "objects", "buckets")
	err := filepath.WalkDir(objects, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() { // ignore files that are removed meanwhile
			return nil //nolint:nilerr // see above
		}
		if strings.Contains(path, id) {
			found = append(found, path)
		}
		if content := readSome(path); strings.Contains(content, text) {
			found = append(found, path+" contains the text")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"document", "conversion", "annotation", "annotation-jobs", "insight", "insight-jobs", "idempotency", "gateway"} {
		found = append(found, rows(t, filepath.Join(s.Dir, name+".db"), id, job)...)
	}
	return found
}

// rows returns the rows of a database that contain any of the texts.
func rows(t *testing.T, path string, texts ...string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables := query(t, db, "SELECT name FROM sqlite_master WHERE type = 'table'")
	var found []string
	for _, table := range tables {
		for _, row := range query(t, db, "SELECT * FROM "+table) {
			for _, text := range texts {
				if strings.Contains(row, text) {
					found = append(found, fmt.Sprintf("%s %s: %.200s", filepath.Base(path), table, row))
				}
			}
		}
	}
	return found
}

// query returns the rows of a query, each as one string.
func query(t *testing.T, db *sql.DB, text string) []string {
	t.Helper()
	result, err := db.Query(text)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	columns, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for result.Next() {
		values := make([]sql.RawBytes, len(columns))
		targets := make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := result.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		row := ""
		for _, v := range values {
			row += string(v) + " "
		}
		all = append(all, row)
	}
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// messages returns the messages, in all streams of a stopped system, whose subject or data
// contains any of the texts.
func messages(t *testing.T, s *harness.System, texts ...string) []string {
	t.Helper()
	var found []string
	eachMessage(t, s, func(stream string, m *jetstream.RawStreamMsg) {
		for _, text := range texts {
			if strings.Contains(m.Subject+string(m.Data), text) {
				found = append(found, stream+": "+m.Subject)
			}
		}
	})
	return found
}

// eachMessage calls each for every message in the streams of a stopped system.
func eachMessage(t *testing.T, s *harness.System, each func(stream string, m *jetstream.RawStreamMsg)) {
	t.Helper()
	server, err := natsserver.Start(natsserver.Config{
		Dir: filepath.Join(s.Dir, "nats"), MaxMemory: 2 << 30, MaxStore: 16 << 30, Log: telemetry.Discard(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	nc, err := nats.Connect(nats.DefaultURL, server.Option())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	streams := js.ListStreams(t.Context())
	for info := range streams.Info() {
		stream, err := js.Stream(t.Context(), info.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		for n := info.State.FirstSeq; n <= info.State.LastSeq && info.State.Msgs > 0; n++ {
			if m, err := stream.GetMsg(t.Context(), n); err == nil { // skip removed messages
				each(info.Config.Name, m)
			}
		}
	}
	if err := streams.Err(); err != nil {
		t.Fatal(err)
	}
}
