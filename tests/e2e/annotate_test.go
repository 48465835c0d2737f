package e2e

import (
	"encoding/base64"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// contractValues returns a body with values for all fields of the contract.
func contractValues(t *testing.T) string {
	return values("company", "Lindqvist & Söhne AB", "client-name", "Zoë Ünal 🙂", "start-date", "2026-03-01", "services", []string{"Training"},
		"fee", "120.50", "payment-term", "within 30 days", "invoice-email", "zoe@example.com", "signature", dataURL("image/png", testdata(t, "signature.png")))
}

// TestAnnotate fills the contract. The result contains the values, and the document
// itself is unchanged.
func TestAnnotate(t *testing.T) {
	c := shared.NewClient(t)
	d := create(t, c, object{"name": "Contract", "files": []object{{"name": "contract.docx", "type": docxType}}})
	put(t, c, d.Files[0].UploadURL, testdata(t, "contract.docx"))
	before := withoutURLs(t, c.Get("/documents/"+d.ID).Body)
	begin := time.Now().UnixMilli()
	var got converted
	c.Post("/documents/"+d.ID+"/annotate", contractValues(t)).OK(&got)
	if low, high := begin+14*60_000, time.Now().UnixMilli()+15*60_000; got.ExpiresAt < low || got.ExpiresAt > high {
		t.Errorf("expires_at is %d, want from %d to %d", got.ExpiresAt, low, high)
	}
	a := c.Raw(http.MethodGet, got.DownloadURL, nil, nil)
	if a.Header.Get("Content-Disposition") != `attachment; filename="contract.docx"` || a.Header.Get("Content-Type") != docxType {
		t.Errorf("the download is %s as %s", a.Header.Get("Content-Disposition"), a.Header.Get("Content-Type"))
	}
	says(t, docxText(t, a.Body), "Lindqvist &amp; Söhne AB, represented by Zoë Ünal 🙂 (the “Client”). It begins on March 1, 2026.", "☐ Advice\n☒ Training",
		"EUR 120.50 for each hour. Invoices are due within 30 days and are sent to zoe@example.com.")
	media := 0
	for name, content := range parts(t, a.Body) {
		if strings.HasPrefix(name, "word/media/") && content == string(testdata(t, "signature.png")) {
			media++
		}
	}
	if media != 1 {
		t.Errorf("the result contains the signature %d times, want 1", media)
	}
	var pdf inline
	c.Post("/documents/convert", inlineBody("contract.docx", a.Body)).OK(&pdf)
	decoded, err := base64.StdEncoding.DecodeString(pdf.FileBase64)
	if err != nil {
		t.Fatal(err)
	}
	says(t, pdfText(t, decoded), "Lindqvist & Söhne AB", "March 1, 2026", "☒ Training", "EUR 120.50", "within 30 days", "zoe@example.com")
	if after := withoutURLs(t, c.Get("/documents/"+d.ID).Body); after != before {
		t.Errorf("the document was\n%s\nand is now\n%s", before, after)
	}
	if content(t, c, "/documents/"+d.ID) != string(testdata(t, "contract.docx")) {
		t.Error("the file of the document has changed")
	}
}

// TestAnnotateTypes fills a field of each type with every form of value that the type
// accepts, and with an empty value where that is allowed.
func TestAnnotateTypes(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, f fillable, path string) {
		fill := func(pairs ...any) []byte {
			t.Helper()
			var got converted
			c.Post(path, values(pairs...)).OK(&got)
			return download(t, c, got.DownloadURL)
		}
		for _, v := range [][2]string{
			{"text", "a & b"}, {"name", "Zoë <Ünal>"}, {"company", "Söhne GmbH"}, {"address", "Street 1"}, {"phone", "+49 (40) 123-456.7"}, {"email", "a+b@mail.example.com"},
			{"url", "HTTP://example.com/ä?q=1#x"}, {"url", "https://127.0.0.1:8443"}, {"number", "-1.50"}, {"number", ".5"}, {"number", "007"}, {"ssn", "123-45-6789"},
			{"ssn", "000000000"}, {"gender", "Prefer not to say"}, {"date", "2024-02-29"}, {"dropdown", "B"}, {"signature", "Zoë"},
		} {
			f.shows(t, fill(v[0], v[1]), v[0], v[1])
		}
		if filled := fill("checkbox", []string{"C", "A"}); f.name == "form.docx" && strings.Contains(docxText(t, filled), "{{agreementinput-checkbox") {
			t.Error("the checkbox is not filled")
		}
		png := testdata(t, "signature.png")
		for _, v := range []any{dataURL("image/png", png), []string{dataURL("image/PNG", png)}, []string{dataURL("image/png", png), dataURL("image/png", png)}} {
			fill("image", v)
		}
		fill("one-image", []string{dataURL("image/png", png)}, "signature", dataURL("image/png", png))
		for _, name := range []string{"text", "name", "company", "address", "phone", "email", "url", "gender", "date", "dropdown"} {
			f.shows(t, fill(name, ""), name, "")
		}
		fill("image", []string{})
		fill() // a request without any value is valid too
	})
}

// TestAnnotateRules breaks each validation rule for field values on its own.
func TestAnnotateRules(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, _ fillable, path string) { annotateRules(t, c, path) })
}

// annotateRules breaks each rule on a document.
func annotateRules(t *testing.T, c *harness.Client, path string) {
	png := testdata(t, "signature.png")
	for _, tc := range []struct {
		name  string
		value any
		codes []string
	}{
		{"text", "123456", []string{"text_too_long"}}, {"text", 1, []string{"invalid_type"}}, {"text", []string{"a"}, []string{"invalid_type"}},
		{"name", true, []string{"invalid_type"}}, {"name", nil, []string{"required"}}, {"company", object{}, []string{"invalid_type"}}, {"address", []int{1}, []string{"invalid_type"}},
		{"phone", "123456", []string{"phone_invalid"}}, {"phone", "+49 40 CALL ME", []string{"phone_invalid"}}, {"phone", strings.Repeat("1", 16), []string{"phone_invalid"}},
		{"email", "somebody", []string{"email"}}, {"email", "a@b", []string{"email"}}, {"email", "a b@example.com", []string{"email"}},
		{"url", "example.com", []string{"url_missing_protocol"}}, {"url", "ftp://example.com", []string{"url_missing_protocol"}}, {"url", "https://", []string{"url_invalid"}},
		{"url", "https://a b.example", []string{"url_invalid"}},
		{"number", "1,5", []string{"number_invalid"}}, {"number", "1.", []string{"number_invalid"}}, {"number", "+1", []string{"number_invalid"}}, {"number", "1e3", []string{"number_invalid"}},
		{"number", "", []string{"number_invalid"}}, {"number", "٣", []string{"number_invalid"}}, {"number", 1.5, []string{"invalid_type"}},
		{"ssn", "123-456789", []string{"ssn_invalid"}}, {"ssn", "12-345-6789", []string{"ssn_invalid"}}, {"ssn", "", []string{"ssn_invalid"}}, {"ssn", "1234567890", []string{"ssn_invalid"}},
		{"gender", "female", []string{"gender_invalid_option"}}, {"gender", []string{"Female"}, []string{"invalid_type"}},
		{"date", "2026-02-29", []string{"invalid_date_format"}}, {"date", "31.01.2026", []string{"invalid_date_format"}}, {"date", "2026-1-5", []string{"invalid_date_format"}},
		{"checkbox", []string{"D"}, []string{"checkbox_invalid_option"}}, {"checkbox", []string{"A", "A"}, []string{"checkbox_duplicate_option"}},
		{"checkbox", []string{}, []string{"checkbox_min_selected"}}, {"checkbox", []string{"A", "B", "C"}, []string{"checkbox_max_selected"}},
		{"checkbox", "A", []string{"invalid_type"}}, {"checkbox", []any{"A", 1}, []string{"invalid_type"}},
		{"dropdown", "C", []string{"dropdown_invalid_option"}}, {"dropdown", "a", []string{"dropdown_invalid_option"}}, {"dropdown", []string{"A"}, []string{"invalid_type"}},
		{"image", "iVBORw0KGgo=", []string{"image_invalid_header"}}, {"image", dataURL("image/gif", []byte("GIF89a")), []string{"image_unsupported_type"}},
		{"image", "data:image/png;base64,????", []string{"image_invalid_base64"}}, {"image", dataURL("image/png", png[:len(png)/2]), []string{"image_corrupt"}},
		{"image", dataURL("image/jpeg", png), []string{"image_corrupt"}}, {"image", dataURL("image/png", make([]byte, 10<<20+1)), []string{"image_too_large"}},
		{"one-image", []string{dataURL("image/png", png), dataURL("image/png", png)}, []string{"image_multiple_not_allowed"}},
		{"signature", dataURL("image/webp", png), []string{"image_unsupported_type"}},
		{"nothing", "x", []string{"field_not_found"}}, {"name", "a\u0007b", []string{"invalid_characters"}},
	} {
		t.Run(tc.name+" "+strings.Join(tc.codes, " "), func(t *testing.T) {
			var entries []string
			for _, code := range tc.codes {
				entries = append(entries, at(tc.name, code))
			}
			for _, query := range []string{"", "?dry_run=true"} {
				a := c.Post(path+query, values(tc.name, tc.value))
				p := a.FailsWith(3001, entries...)
				for _, e := range p.Errors {
					if e.Message == "" || e.InternalMessage == "" || e.Resolution == "" || (e.Value == nil) != (tc.value == nil) {
						t.Errorf("the entry lacks a text or the value: %+v", e)
					}
				}
				if len(a.Body) > 64<<10 {
					t.Errorf("the response has %d bytes, want at most 64 KiB", len(a.Body))
				}
			}
		})
	}
}

// TestAnnotateShapes sends bodies that are invalid for any document.
func TestAnnotateShapes(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, _ fillable, path string) {
		absent := "/documents/" + create(t, c, valid()).ID + "/annotate" // nothing is uploaded
		for _, tc := range []struct {
			body    string
			code    int
			entries []string
		}{
			{``, 3001, nil}, {`{`, 3001, nil}, {`[]`, 3003, nil}, {`{"field_values":{}} {}`, 3001, nil},
			{`{}`, 3002, []string{"field_values required"}}, {`{"field_values":null}`, 3002, []string{"field_values required"}},
			{`{"field_values":[]}`, 3001, []string{"field_values invalid_type"}}, {`{"field_values":{},"x":1}`, 3001, []string{"x unrecognized_key"}},
			{`{"field_values":{"name":{"value":"x"}}}`, 3001, []string{"field_values.name.value field_key_invalid"}},
			{`{"field_values":{"agreementinput-":{"value":"x"}}}`, 3001, []string{at("", "field_key_invalid")}},
			{`{"field_values":{"agreementinput-ä":{"value":"x"}}}`, 3001, []string{at("ä", "field_key_invalid")}},
			{`{"field_values":{"agreementinput-name":{}}}`, 3001, []string{at("name", "required")}},
			{`{"field_values":{"agreementinput-name":"x"}}`, 3001, []string{at("name", "invalid_type")}},
			{`{"field_values":{"agreementinput-name":{"value":"a"},"agreementinput-name":{"value":"b"}}}`, 3001, []string{at("name", "field_duplicate")}},
		} {
			for where, path := range map[string]string{"with content": path, "without content": absent} {
				a := c.Post(path, tc.body)
				if tc.entries == nil {
					if p := a.Fails(400, tc.code); p.Errors != nil && p.Errors[0].Path != "" {
						t.Errorf("%s, %s: the entries are %+v", tc.body, where, p.Errors)
					}
					continue
				}
				a.FailsWith(tc.code, tc.entries...)
			}
		}
	})
}

// TestAnnotateReportsAllProblems breaks many rules in one request. All violations are reported, in
// the order of the request, and nothing is filled.
func TestAnnotateReportsAllProblems(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, _ fillable, path string) {
		before := derived(t, c)
		body := `{"field_values":{"agreementinput-ssn":{"value":"1"},"agreementinput-name":{"value":"fine"},"other":{"value":1},"agreementinput-email":{"value":null},` +
			`"agreementinput-checkbox":{"value":["A","A","D","C"]},"agreementinput-zzz":{"value":"x"},"agreementinput-ssn":{"value":"123-45-6789"},"agreementinput-date":{"value":"today"}}}`
		p := c.Post(path, body).FailsWith(3001, at("ssn", "ssn_invalid"), "field_values.other.value field_key_invalid", "field_values.other.value invalid_type", at("email", "required"),
			at("checkbox", "checkbox_invalid_option"), at("checkbox", "checkbox_duplicate_option"), at("checkbox", "checkbox_max_selected"),
			at("zzz", "field_not_found"), at("ssn", "field_duplicate"), at("date", "invalid_date_format"))
		for _, e := range p.Errors {
			if e.Message == "" || e.InternalMessage == "" || e.Resolution == "" {
				t.Errorf("the entry lacks a text or the value: %+v", e)
			}
			if strings.Contains(e.Path, "ssn") && strings.Contains(e.Message+e.InternalMessage+e.Resolution, "123-45-6789") {
				t.Errorf("a text of the entry repeats the SSN: %+v", e)
			}
		}
		c.Post(path, values("name", "fine", "zzz", "x")).FailsWith(3001, at("zzz", "field_not_found"))
		if after := derived(t, c); len(after) != len(before) {
			t.Errorf("filled files were %v and are now %v", before, after)
		}
	})
}

// derived returns the filled files of a client's organization in the object store. It
// returns nil if the object store is not a folder on this machine.
func derived(t *testing.T, c *harness.Client) []string {
	t.Helper()
	if shared.Dir == "" {
		return nil
	}
	found, err := filepath.Glob(filepath.Join(shared.Dir, "objects", "buckets", "*", "annotated", c.OrganizationID, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestAnnotateDryRun checks that dry_run=true validates the values and fills nothing.
func TestAnnotateDryRun(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, _ fillable, path string) {
		for _, header := range []string{"", "respond-async"} {
			a := c.Do(harness.Request{Method: "POST", Path: path + "?dry_run=true", Body: values("name", "x"), Header: map[string]string{"Prefer": header}}).OK(nil)
			if string(a.Body) != `{"valid":true}` {
				t.Errorf("the response is %s", a.Body)
			}
		}
		c.Post(path+"?dry_run=true", values("ssn", "x")).FailsWith(3001, at("ssn", "ssn_invalid"))
		if files := derived(t, c); len(files) > 0 {
			t.Errorf("a dry run has stored %v", files)
		}
		c.Post(path+"?dry_run=false", values("name", "x")).OK(nil)
		c.Post(path+"?dry_run=yes&flatten=0", values("ssn", "x")).FailsWith(3001, "dry_run invalid_type", "flatten invalid_type", at("ssn", "ssn_invalid"))
		c.Post(path+"?dry_run=yes&flatten=0&version_number=x", values("name", "x")).FailsWith(3003, "version_number version_invalid", "dry_run invalid_type", "flatten invalid_type")
	})
}

// TestAnnotateContent checks which files cannot be filled, and that the first file of a
// document that can be is.
func TestAnnotateContent(t *testing.T) {
	c := shared.NewClient(t)
	c.Post("/documents/doc_01h455vb4pex5vsknk084sn02q/annotate", "{").Fails(404, 4001) // checked before everything else
	docx := formDOCX()
	for name, row := range map[string]struct {
		content []byte
		detail  string
		useless bool // cannot be read, so its fields cannot be listed either
	}{
		"a.pdf":          {[]byte("%PDF-1.7\n% not much of one"), "The file a.pdf ", true},
		"locked.pdf":     {lockedPDF("secret"), "locked.pdf is encrypted", true},
		"a.txt":          {[]byte("text"), "a.txt is plain text", false},
		"empty.docx":     {nil, "empty.docx is empty", true},
		"truncated.docx": {docx[:len(docx)-30], "truncated.docx", true},
		"doctype.docx":   {word(`<!DOCTYPE d [<!ENTITY e "x">]><w:document>&e;</w:document>`), "DOCTYPE", true},
		"cut-xml.docx":   {word("<w:document><w:body>"), "word/document.xml", true},
	} {
		d := upload(t, c, name, row.content)
		answers := map[string]*harness.Answer{"annotate": c.Post("/documents/"+d.ID+"/annotate", values("name", "x"))}
		if row.useless {
			answers["fields"] = c.Get("/documents/" + d.ID + "/fields")
		} else if a := c.Get("/documents/" + d.ID + "/fields").OK(nil); string(a.Body) != `{"items":[]}` {
			t.Errorf("%s has the fields %s", name, a.Body)
		}
		for what, a := range answers {
			if p := a.Fails(400, 3001); p.Errors != nil || !strings.Contains(p.Detail, row.detail) {
				t.Errorf("%s, %s: %+v", name, what, p)
			}
		}
	}
	missing := create(t, c, valid())
	if p := c.Post("/documents/"+missing.ID+"/annotate", values("name", "x")).Fails(400, 3001); p.Errors != nil || !strings.Contains(p.Detail, "was not uploaded") {
		t.Errorf("nothing uploaded: %+v", p)
	}
	// The first file that can be filled is filled, whatever its name.
	d := create(t, c, with("files", []object{{"name": "missing.docx", "type": "a/b"}, {"name": "photo.png", "type": "a/b"}, {"name": "good.bin", "type": "a/b"}}))
	put(t, c, d.Files[1].UploadURL, testdata(t, "signature.png"))
	put(t, c, d.Files[2].UploadURL, docx)
	var got converted
	c.Post("/documents/"+d.ID+"/annotate", values("name", "the good one")).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "the good one")
}

// TestAnnotateVersions checks that version_number selects the version that annotate and
// fields work on.
func TestAnnotateVersions(t *testing.T) {
	c := shared.NewClient(t)
	d := upload(t, c, "one.docx", harness.DOCX(harness.Paragraph{Text: "first {{agreementinput-one}}"}))
	path := "/documents/" + d.ID + "/annotate"
	var second document
	c.Post("/documents/"+d.ID+"/versions", newVersion("two.docx")).OK(&second)
	put(t, c, second.Files[0].UploadURL, harness.DOCX(harness.Paragraph{Text: "second {{agreementinput-two}}"}))
	var got converted
	c.Post(path, values("two", "2")).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "second 2")
	c.Post(path+"?version_number=1", values("one", "1")).OK(&got)
	says(t, docxText(t, download(t, c, got.DownloadURL)), "first 1")
	c.Post(path+"?version_number=1", values("two", "2")).FailsWith(3001, at("two", "field_not_found"))
	// PUT fields applies to all versions, but its response lists the fields of one.
	var fields fieldList
	set := func(query string) *harness.Answer {
		body := object{"fields": []object{{"field_id": "agreementinput-one", "type": "ssn"}}}
		return c.Do(harness.Request{Method: http.MethodPut, Path: "/documents/" + d.ID + "/fields" + query, Body: body})
	}
	for query, want := range map[string]string{"?version_number=1": "one", "": "two one", "?version_number=2": "two one"} {
		for what, a := range map[string]*harness.Answer{"PUT": set(query), "GET": c.Get("/documents/" + d.ID + "/fields" + query)} {
			a.OK(&fields)
			var names []string
			for _, f := range fields.Items {
				names = append(names, strings.TrimPrefix(f.FieldID, "agreementinput-"))
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s fields%s returns %s, want %s", what, query, got, want)
			}
		}
	}
	c.Post(path+"?version_number=1", values("one", "1")).FailsWith(3001, at("one", "ssn_invalid"))
	set("?version_number=3").Fails(404, 4002)
	set("?version_number=x").FailsWith(3003, "version_number version_invalid")
	c.Post(path+"?version_number=3", values("two", "2")).Fails(404, 4002)
	c.Post(path+"?version_number=x", values("two", "2")).FailsWith(3003, "version_number version_invalid")
}

// TestAnnotateOnce repeats requests with an Idempotency-Key.
func TestAnnotateOnce(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, f fillable, path string) {
		var first, again converted
		repeat(c, "one", path, values("name", "Zoë")).OK(&first)
		if !isReplay(repeat(c, "one", path, values("name", "Zoë")).OK(&again)) || keyOf(first.DownloadURL) != keyOf(again.DownloadURL) || again.ExpiresAt < first.ExpiresAt {
			t.Errorf("first %+v\nagain %+v", first, again)
		}
		f.shows(t, download(t, c, again.DownloadURL), "name", "Zoë")
		repeat(c, "one", path, values("name", "Ann")).Fails(409, 4009)
		repeat(c, "one", path+"?dry_run=true", values("name", "Zoë")).Fails(409, 4009)
		repeat(c, "failed", path, values("ssn", "x")).FailsWith(3001, at("ssn", "ssn_invalid"))
		repeat(c, "failed", path, values("ssn", "123456789")).OK(nil)
		repeat(c, "dry", path+"?dry_run=true", values("name", "Zoë")).OK(nil)
		if a := repeat(c, "dry", path+"?dry_run=true", values("name", "Zoë")).OK(nil); !isReplay(a) || string(a.Body) != `{"valid":true}` {
			t.Errorf("the response is %s", a.Body)
		}
		if files := derived(t, c); shared.Dir != "" && len(files) != 2 {
			t.Errorf("the filled files are %v, want 2", files)
		}
	})
}

// TestAnnotateLater fills documents asynchronously. Errors that can be found without
// reading the file are reported at once, others by the job.
func TestAnnotateLater(t *testing.T) {
	forms(t, func(t *testing.T, c *harness.Client, f fillable, path string) {
		send := func(body string) *harness.Answer {
			return c.Do(harness.Request{Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Prefer": "respond-async"}})
		}
		var job accepted
		a := send(values("name", "Zoë", "image", dataURL("image/png", testdata(t, "signature.png")))).Accepted(&job)
		if a.Header.Get("Location") != "/v2/jobs/"+job.ID || a.Header.Get("Preference-Applied") != "respond-async" {
			t.Errorf("the accepted response is %s, %v", a.Body, a.Header)
		}
		j := ended(t, c, job.ID)
		if j.State != "succeeded" || j.Kind != "annotate" || j.Progress != 1 || j.Error != nil || j.Result == nil {
			t.Fatalf("the job ended as %+v", j)
		}
		f.shows(t, download(t, c, j.Result.DownloadURL), "name", "Zoë")
		shared.NewClient(t).Get("/jobs/"+job.ID).Fails(404, 1001)
		send(`{"field_values":[]}`).FailsWith(3001, "field_values invalid_type") // found without reading the file
		c.Do(harness.Request{Method: http.MethodPost, Path: "/documents/doc_x/annotate", Body: values(), Header: map[string]string{"Prefer": "respond-async"}}).Fails(404, 4001)
		send(values("ssn", "1", "zzz", "x")).Accepted(&job)
		j = ended(t, c, job.ID)
		if j.State != "failed" || j.Result != nil || j.Error == nil || j.Error.Code != 3001 || len(j.Error.Errors) != 2 || j.Error.Errors[1].Code != "field_not_found" {
			t.Errorf("the job ended as %+v, %+v", j, j.Error)
		}
	})
}

// TestAnnotateBodySize checks that annotate has its own limit on bodies, and that other
// endpoints of fields do not.
func TestAnnotateBodySize(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"GATEWAY_MAX_BODY=10000", "GATEWAY_MAX_ANNOTATE_BODY=1000000"}})
	c := s.Client(t)
	path := form(t, c)
	body := values("name", strings.Repeat("x", 1000))
	fits := body + strings.Repeat(" ", 1_000_000-len(body))
	chunked := func(s string) io.Reader { return struct{ io.Reader }{strings.NewReader(s)} }
	for _, key := range []string{"", "one"} {
		send := func(body any) *harness.Answer {
			r := harness.Request{Method: "POST", Path: path, Body: body}
			if key != "" {
				r.Header = map[string]string{"Idempotency-Key": key}
			}
			return c.Do(r)
		}
		send(fits).OK(nil)
		send(chunked(fits)).OK(nil)
		send(fits+" ").Fails(413, 3004)
		send(chunked(fits+" ")).Fails(413, 3004)
	}
	c.Do(harness.Request{Method: "PUT", Path: strings.TrimSuffix(path, "annotate") + "fields", Body: `{"fields":[]}` + strings.Repeat(" ", 10_000)}).Fails(413, 3004)
}
