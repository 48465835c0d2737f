package e2e

import (
	"bytes"
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestConversionTimeout checks the error for a conversion that takes too long.
func TestConversionTimeout(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"CONVERSION_TIMEOUT=1ms"}})
	c := s.Client(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	for _, a := range []*harness.Answer{
		c.Post("/documents/"+d.ID+"/convert", nil), c.Post("/documents/convert", inlineBody("a.docx", testdata(t, "agreement.docx"))),
	} {
		if p := a.Fails(400, 3001); !strings.Contains(p.Detail, "could not be converted within 1ms") {
			t.Errorf("the detail is %q", p.Detail)
		}
	}
}

// TestConvertersAreBounded sends more requests than the pool takes. Each one is converted
// or asked to retry.
func TestConvertersAreBounded(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1", "CONVERSION_POOL=2"}})
	c := s.Client(t)
	body := inlineBody("a.docx", testdata(t, "agreement.docx"))
	c.Post("/documents/convert", body).OK(nil)
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			a := c.Post("/documents/convert", body)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	wg.Wait()
	if statuses[200] < 2 || statuses[503] == 0 || statuses[200]+statuses[503] != 12 {
		t.Errorf("counts by status are %v", statuses)
	}
	c.Post("/documents/convert", body).OK(nil)
}

// TestAllConvertersAreBusy checks requests that wait for a converter for longer than a
// request may take.
func TestAllConvertersAreBusy(t *testing.T) {
	s := harness.Start(t, harness.Options{Rate: "unlimited", Env: []string{"CONVERSION_WORKERS=1", "GATEWAY_LONG_BUDGET=300ms"}})
	c := s.Client(t)
	body := inlineBody("a.docx", testdata(t, "agreement.docx"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range 8 {
		wg.Go(func() {
			a := c.Post("/documents/convert", body)
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
		})
	}
	wg.Wait()
	if statuses[503]+statuses[504] == 0 || statuses[200]+statuses[503]+statuses[504] != 8 {
		t.Errorf("counts by status are %v", statuses)
	}
}

// TestContentLimit checks the limit on the size of uploaded files.
func TestContentLimit(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"DOCUMENT_MAX_CONTENT=1000"}})
	c := s.Client(t)
	d := create(t, c, object{"name": "x", "files": []object{{"name": "a.txt", "type": "text/plain"}}})
	a := c.Raw(http.MethodPut, d.Files[0].UploadURL, bytes.Repeat([]byte("x"), 1001), nil)
	detail := "has 1001 bytes (the limit is 1000)"
	if harness.ModeOfRun() == harness.Standalone {
		detail = "was not uploaded"
		if a.Status != http.StatusRequestEntityTooLarge || !strings.Contains(string(a.Body), "1001 bytes; the limit is 1000") {
			t.Errorf("the upload returns %d %s", a.Status, a.Body)
		}
	}
	if p := c.Post("/documents/"+d.ID+"/convert", nil).Fails(400, 3001); !strings.Contains(p.Detail, detail) {
		t.Errorf("the detail is %q", p.Detail)
	}
	fits := upload(t, c, "a.txt", bytes.Repeat([]byte("x"), 1000))
	c.Post("/documents/"+fits.ID+"/convert", nil).OK(nil)
}

// TestBodyMemoryIsShared checks that a request is refused while the memory for bodies is
// in use, and that requests without a body are not.
func TestBodyMemoryIsShared(t *testing.T) {
	s := harness.Start(t, harness.Options{
		Env: []string{"GATEWAY_MAX_BODY=1000000", "GATEWAY_MAX_ANNOTATE_BODY=1000000", "GATEWAY_BODY_MEMORY=1000000"},
	})
	c := s.Client(t)
	holder := dial(t, s)
	holder.send("POST /v2/documents HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: 999999\r\n\r\n%s", c.Key, strings.Repeat(" ", 20_000))
	held := func(want string) {
		t.Helper()
		patience.Until(t, "bodies use "+want+" bytes of memory", func() bool {
			return strings.Contains(s.Metrics(t, "gateway"), "\nrecto_http_request_body_memory_bytes "+want+"\n")
		})
	}
	held("999999")
	body := `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	a := c.Do(harness.Request{Method: "POST", Path: "/documents", Body: body})
	if a.Fails(503, 5003); a.Header.Get("Retry-After") == "" {
		t.Error("the response lacks Retry-After")
	}
	c.Get("/documents").OK(nil) // requests without a body still work
	_ = holder.Close()
	held("0")
	c.Do(harness.Request{Method: "POST", Path: "/documents", Body: body}).OK(nil)
}

// TestClaimChecksAreBounded checks that a file larger than the space for claim checks is
// refused, and a smaller one is not.
func TestClaimChecksAreBounded(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"NATS_CLAIM_BYTES=1000000"}})
	c := s.Client(t)
	c.Post("/documents/convert", inlineBody("a.pdf", append(onePagePDF(), make([]byte, 3<<20)...))).Fails(503, 5003)
	c.Post("/documents/convert", inlineBody("a.pdf", append(onePagePDF(), make([]byte, 100<<10)...))).OK(nil)
}

// TestListTimeout checks the error for a list that takes too long.
func TestListTimeout(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"DOCUMENT_LIST_TIMEOUT=1ns"}})
	if p := s.Client(t).Get("/documents").Fails(503, 5003); !strings.Contains(p.Detail, "took longer than 1ns") {
		t.Errorf("the detail is %q", p.Detail)
	}
}

// TestKeysCannotBeChecked drops the table of keys. The gateway still accepts cached keys
// for a while, and returns 5003 for others.
func TestKeysCannotBeChecked(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	c := s.Client(t)
	other := s.NewClient(t)
	c.Get("/me").OK(nil)
	db, err := sql.Open("sqlite", filepath.Join(s.Dir, "gateway.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DROP TABLE api_keys"); err != nil {
		t.Fatal(err)
	}
	c.Get("/me").OK(nil)
	other.Get("/me").Fails(503, 5003)
}
