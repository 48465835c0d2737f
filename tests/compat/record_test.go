package compat

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/testkit/patience"
)

// TestRecord records what the services of this tree write, if -record is set.
func TestRecord(t *testing.T) {
	if !*recording {
		t.Skip("only with -record, for a new version of the contract")
	}
	dir := t.TempDir()
	w := newWorld(t, inFolder(dir))
	w.listen(t)
	begin := time.Now()
	w.start()
	s := newScenario(w)
	s.run(t)
	call := w.callGateway()
	files := w.files(t)
	files["gateway.json"] = encode(t, call)
	files["shapes.json"] = encode(t, present(t))
	w.stop("conversion")
	files["sqlite/conversion.sql"] = []byte(dump(t, w.at("conversion")))
	s.queue(t)
	files["jobs/convert.json"] = w.files(t)["jobs/convert.json"]
	files["objects.json"] = encode(t, w.objects(t))
	files["queued.sql"] = []byte(dump(t, w.at("conversion")))
	w.stop(slices.Collect(maps.Keys(w.services))...)
	paths, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".db")
		if name != "conversion" {
			files["sqlite/"+name+".sql"] = []byte(dump(t, path))
		}
	}
	write(t, "", files, newNormalizer(begin).text)
}

// objects returns the objects in the bucket by their keys.
func (w *world) objects(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := w.Blobs.List(t.Context(), "", func(o blob.Object) error {
		body, _, err := w.Blobs.Get(t.Context(), o.Key)
		if err != nil {
			return err
		}
		defer body.Close()
		all[o.Key], err = io.ReadAll(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// files returns the files that hold what passed the bus.
func (w *world) files(t *testing.T) map[string][]byte {
	w.catchUp(t)
	w.mu.Lock()
	defer w.mu.Unlock()
	exchanges := map[string][]*exchange{}
	for _, e := range w.exchanges {
		name := e.Subject
		if name == "" {
			name = "uploads"
		}
		exchanges[name] = append(exchanges[name], e)
	}
	files := map[string][]byte{}
	for name, all := range exchanges {
		files["messages/"+name+".json"] = encode(t, all)
	}
	messages := map[string][]message{}
	for _, m := range w.messages {
		kind, rest, _ := strings.Cut(m.Subject, ".")
		if strings.HasPrefix(rest, "done.") || strings.HasSuffix(rest, ".wakeup") {
			continue // a notice without a body, which may be lost
		}
		tokens := strings.Split(rest, ".")
		name := kind + "/" + tokens[0]
		if kind == "events" {
			name += "." + tokens[1]
		}
		messages[name] = append(messages[name], m)
	}
	for name, all := range messages {
		files[name+".json"] = encode(t, all)
	}
	return files
}

// write writes the files of a recording to a folder in it, normalized.
func write(t *testing.T, folder string, files map[string][]byte, normalize func(string) string) {
	t.Helper()
	if err := os.RemoveAll(recorded(folder)); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := recorded(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(normalize(string(files[name]))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// gatewayCall is a request to the gateway that may be repeated with its key.
type gatewayCall struct {
	Secret string  `json:"secret"` // the API key
	Token  string  `json:"token"`  // the Idempotency-Key
	Body   string  `json:"body"`
	Status int     `json:"status"`
	Reply  payload `json:"reply"`
}

// callGateway starts the gateway, creates an API key and creates a document with it.
func (w *world) callGateway() gatewayCall {
	w.T.Helper()
	w.startGateway()
	c := gatewayCall{Secret: w.createKey(), Token: "a token", Body: `{"name":"Once","files":[{"name":"a.txt","type":"text/plain"}]}`}
	c.Status, c.Reply = w.send(c)
	if c.Status != http.StatusCreated && c.Status != http.StatusOK {
		w.T.Fatalf("the gateway answers %d: %s", c.Status, c.Reply.data())
	}
	return c
}

// send sends a request to the gateway.
func (w *world) send(c gatewayCall) (status int, reply payload) {
	w.T.Helper()
	r, err := http.NewRequestWithContext(patience.Context(w.T), http.MethodPost, w.url+"/v2/documents", bytes.NewReader([]byte(c.Body)))
	if err != nil {
		w.T.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "X-Api-Key": c.Secret, "Idempotency-Key": c.Token, "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"} {
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		w.T.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		w.T.Fatal(err)
	}
	return response.StatusCode, newPayload(body)
}

// read reads a file of the recording.
func read[T any](t *testing.T, elements ...string) (v T) {
	t.Helper()
	content, err := os.ReadFile(recorded(elements...))
	if err == nil {
		err = json.Unmarshal(content, &v)
	}
	if err != nil {
		t.Fatalf("read the recording: %v", err)
	}
	return v
}
