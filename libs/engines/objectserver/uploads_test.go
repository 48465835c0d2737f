package objectserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
)

// sign returns a presigned URL for uploading a file of that name.
func sign(t *testing.T, name string) *url.URL {
	t.Helper()
	u, err := client.PresignedPutObject(t.Context(), bucket, "in/"+name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// seal puts the sealed object of an upload, and removes it after the test.
func seal(t *testing.T, name, content string) {
	t.Helper()
	t.Cleanup(func() {
		if err := client.RemoveObject(context.Background(), bucket, "sealed/"+name, minio.RemoveObjectOptions{}); err != nil {
			t.Error(err)
		}
	})
	_, err := client.PutObject(t.Context(), bucket, "sealed/"+name, strings.NewReader(content), int64(len(content)), minio.PutObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// read returns the content of an object, or the text of the error.
func read(t *testing.T, key string) string {
	t.Helper()
	object, err := client.GetObject(t.Context(), bucket, key, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer object.Close()
	content, err := io.ReadAll(object)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// upload is an upload request.
type upload struct {
	contentType, content string
	chunked, expect      bool
}

// put sends an upload over a new connection. It returns the status of the response,
// and the code and message of a refusal.
func (u upload) put(t *testing.T, target string) (status int, code, message string) {
	t.Helper()
	var body io.Reader = strings.NewReader(u.content)
	if u.chunked {
		body = io.MultiReader(body) // hides the length
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, target, body)
	if err != nil {
		t.Fatal(err)
	}
	if u.contentType != "" {
		r.Header.Set("Content-Type", u.contentType)
	}
	if u.expect {
		r.Header.Set("Expect", "100-continue")
	}
	transport := &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var refused struct{ Code, Message string }
	if answer.StatusCode != http.StatusOK {
		if err := xml.Unmarshal(text, &refused); err != nil {
			t.Errorf("%d %q: %v", answer.StatusCode, text, err)
		}
	}
	return answer.StatusCode, refused.Code, refused.Message
}

// form returns a multipart form that contains content, and its media type.
func form(t *testing.T, content string) (contentType, body string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	part, err := w.CreateFormFile("file", "a.docx")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), out.String()
}

// TestUploads sends every kind of upload with every framing that HTTP has.
func TestUploads(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", maxSize/16)
	formType, small := form(t, "x")
	_, largeForm := form(t, large[:maxSize/2])
	for i, c := range []struct {
		name   string
		upload upload
		status int
		code   string
		remedy string // part of the message
	}{
		{"raw bytes", upload{content: "%PDF-1.7"}, 200, "", ""},
		{"the largest allowed", upload{content: large}, 200, "", ""},
		{"an empty file", upload{}, 200, "", ""},
		{"raw bytes under a multipart type", upload{contentType: formType, content: "%PDF-1.7 " + small}, 200, "", ""},
		{"a form", upload{contentType: formType, content: small}, 415, "UnsupportedMediaType", "curl -T"},
		{"a large form", upload{contentType: formType, content: largeForm}, 415, "UnsupportedMediaType", "raw bytes"},
		{"a form under another type", upload{contentType: "application/pdf", content: small}, 415, "UnsupportedMediaType", "raw bytes"},
		{"one byte too many", upload{content: large + "x"}, 413, "EntityTooLarge", "1048576"},
		{"far too large", upload{content: strings.Repeat(large, 20)}, 413, "EntityTooLarge", "1048576"},
	} {
		for way := range 4 {
			u := c.upload
			u.chunked, u.expect = way&1 != 0, way&2 != 0 && len(u.content) > 0
			t.Run(fmt.Sprintf("%s, chunked %v, expect %v", c.name, u.chunked, u.expect), func(t *testing.T) {
				name := fmt.Sprintf("kind-%d-%d", i, way)
				status, code, message := u.put(t, sign(t, name).String())
				if status != c.status || code != c.code || !strings.Contains(message, c.remedy) {
					t.Fatalf("got %d %s %q, want %d %s with the remedy %q", status, code, message, c.status, c.code, c.remedy)
				}
				stored := read(t, "in/"+name)
				if status == 200 && stored != u.content || status != 200 && !strings.Contains(stored, "does not exist") {
					t.Errorf("stored: %.100q", stored)
				}
			})
		}
	}
	if left, err := os.ReadDir(spooled); err != nil || len(left) > 0 {
		t.Errorf("the spool folder contains %v, %v; want nothing", left, err)
	}
}

// TestUploadAfterSealing shows that an upload can be replaced until it is sealed.
// After that, uploads are refused and change nothing.
func TestUploadAfterSealing(t *testing.T) {
	target := sign(t, "twice").String()
	for _, content := range []string{"", "first", "second"} {
		if status, code, _ := (upload{content: content}).put(t, target); status != 200 {
			t.Errorf("%q before sealing: %d %s", content, status, code)
		}
	}
	seal(t, "twice", "second")
	formType, body := form(t, "x")
	for _, u := range []upload{
		{content: "third"}, {}, {content: "third", chunked: true}, {content: "third", expect: true}, {contentType: formType, content: body},
		{content: strings.Repeat("x", 30*maxSize)}, {content: strings.Repeat("x", 30*maxSize), chunked: true},
	} {
		status, code, message := u.put(t, target)
		if status != 409 || code != "AlreadySealed" || !strings.Contains(message, "new version") {
			t.Errorf("%.20q after sealing: %d %s %q", u.content, status, code, message)
		}
	}
	if got := read(t, "in/twice"); got != "second" {
		t.Errorf("the stored upload is now %.20q, want \"second\"", got)
	}
}

// TestUploadDuringSealing seals a file while an upload to it is in progress. The
// upload succeeds only if it has the same bytes.
func TestUploadDuringSealing(t *testing.T) {
	for content, want := range map[string]int{"other": 409, "these": 200} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		name := "during-" + content
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", sign(t, name).RequestURI(), addr)
		answers := bufio.NewReader(conn)
		if answer, err := http.ReadResponse(answers, nil); err != nil || answer.StatusCode != http.StatusContinue {
			t.Fatalf("%+v, %v", answer, err)
		}
		seal(t, name, content)
		_, _ = io.WriteString(conn, "these")
		answer, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("uploading %q while %q is sealed: %d, want %d", "these", content, answer.StatusCode, want)
		}
	}
}

// TestUploadNeedsSignature shows that without a valid presigned URL, a client does
// not learn what is sealed, and no body is read.
func TestUploadNeedsSignature(t *testing.T) {
	seal(t, "secret", "x")
	good := sign(t, "secret")
	for name, change := range map[string]func(url.Values){
		"no query":     func(q url.Values) { clear(q) },
		"no signature": func(q url.Values) { q.Del("X-Amz-Signature") },
		"invalid":      func(q url.Values) { q.Set("X-Amz-Signature", strings.Repeat("0", 64)) },
		"longer":       func(q url.Values) { q.Set("X-Amz-Expires", "7200") },
		"no time":      func(q url.Values) { q.Del("X-Amz-Expires") },
		"yesterday": func(q url.Values) {
			q.Set("X-Amz-Date", time.Now().Add(-24*time.Hour).UTC().Format("20060102T150405Z"))
		},
		"tampered": func(q url.Values) { q.Set("tagging", "") },
	} {
		u, query := *good, good.Query()
		change(query)
		u.RawQuery = query.Encode()
		for _, sent := range []upload{{content: "x"}, {content: strings.Repeat("x", 2*maxSize)}, {content: "x", expect: true}, {content: "x", chunked: true}} {
			if status, code, _ := sent.put(t, u.String()); status != 403 && status != 400 && status != 411 {
				t.Errorf("%s: uploading %d bytes: got %d %s, want it refused", name, len(sent.content), status, code)
			}
		}
	}
	expired, err := client.PresignedPutObject(t.Context(), bucket, "in/secret", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for {
		status, code, _ := (upload{content: "x"}).put(t, expired.String())
		if status == 403 {
			break
		}
		if status != 409 || time.Now().After(deadline) {
			t.Fatalf("with a URL that expires: got %d %s, want 409 and then 403", status, code)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestUnreadBodyIsNoRequest sends uploads that are refused and whose bodies look like
// requests, each followed by a request. The connection must close after the refusal.
func TestUnreadBodyIsNoRequest(t *testing.T) {
	seal(t, "raw", "x")
	inner := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	formBody := "--B\r\nContent-Disposition: form-data; name=f\r\n\r\n" + inner + "\r\n--B--\r\n"
	long := strings.Repeat(inner, maxSize/2/len(inner))
	for _, c := range []struct {
		name, upload, body string
		status             int
	}{
		{"sealed", "raw", inner, 409},
		{"sealed, long", "raw", long, 409},
		{"form", "raw-form", formBody, 415},
		{"form, long", "raw-form", formBody + long, 415},
		{"too large", "raw-large", long + long + long, 413},
	} {
		for framing, frame := range map[string]func(string) string{"chunked": chunked, "counted": counted} {
			t.Run(c.name+" "+framing, func(t *testing.T) {
				head := "PUT " + sign(t, c.upload).RequestURI() + " HTTP/1.1\r\nHost: " + addr + "\r\n"
				answers, bodies := exchange(t, head+frame(c.body)+next)
				if len(answers) != 1 || answers[0].StatusCode != c.status || !answers[0].Close {
					t.Errorf("got %d responses, want one with status %d: %.500q", len(answers), c.status, bodies)
				}
			})
		}
	}
}

// TestStoredBodyIsNoRequest sends uploads that are stored, each followed by a request
// on the same connection. The request gets its own response.
func TestStoredBodyIsNoRequest(t *testing.T) {
	inner := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for framing, frame := range map[string]func(string) string{"chunked": chunked, "counted": counted} {
		t.Run(framing, func(t *testing.T) {
			head := "PUT " + sign(t, "stored-"+framing).RequestURI() + " HTTP/1.1\r\nHost: " + addr + "\r\n"
			answers, bodies := exchange(t, head+frame(inner)+next)
			if len(answers) != 2 || answers[0].StatusCode != 200 || !strings.Contains(bodies[1], "<BucketName>next<") {
				t.Errorf("got %d responses, want 2: %.500q", len(answers), bodies)
			}
			if got := read(t, "in/stored-"+framing); got != inner {
				t.Errorf("stored: %q, want %q", got, inner)
			}
		})
	}
}

// TestBrokenChunks shows that uploads with malformed or incomplete chunks are not
// stored.
func TestBrokenChunks(t *testing.T) {
	for i, body := range []string{"nonsense\r\n", "5\r\nabc\r\n0\r\n\r\n", "5\r\nabcdeXX0\r\n\r\n", "-1\r\n\r\n", "ffffffffffffffffff\r\nx"} {
		name := fmt.Sprintf("broken-%d", i)
		head := "PUT " + sign(t, name).RequestURI() + " HTTP/1.1\r\nHost: " + addr + "\r\nTransfer-Encoding: chunked\r\n\r\n"
		answers, _ := exchange(t, head+body+next)
		if len(answers) != 1 || answers[0].StatusCode != 400 {
			t.Errorf("the chunks %q got %d responses, want one with status 400: %+v", body, len(answers), answers)
		}
		if got := read(t, "in/"+name); !strings.Contains(got, "does not exist") {
			t.Errorf("stored: %q, want nothing", got)
		}
	}
}

// TestEndOfClient closes the connection in the middle of uploads. Part of the body
// may already have been written, but nothing is stored in the end.
func TestEndOfClient(t *testing.T) {
	const size = 200_000
	for name, body := range map[string]string{
		"few":           "Content-Length: 200000\r\n\r\n" + strings.Repeat("x", 10),
		"half":          "Content-Length: 200000\r\n\r\n" + strings.Repeat("x", size/2),
		"all but one":   "Content-Length: 200000\r\n\r\n" + strings.Repeat("x", size-1),
		"chunked":       "Transfer-Encoding: chunked\r\n\r\n30d40\r\n" + strings.Repeat("x", size/2),
		"no last chunk": "Transfer-Encoding: chunked\r\n\r\n30d40\r\n" + strings.Repeat("x", size) + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			key := "ended " + name
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\n%s", sign(t, key).RequestURI(), addr, body)
			// The other direction stays open: when the server closes it, it is done.
			if tcp, ok := conn.(*net.TCPConn); !ok || tcp.CloseWrite() != nil {
				t.Fatal("cannot close the sending side of the connection")
			}
			if answer, err := io.ReadAll(conn); strings.HasPrefix(string(answer), "HTTP/1.1 2") {
				t.Errorf("got the response %.300q, %v; want no success", answer, err)
			}
			if got := read(t, "in/"+key); !strings.Contains(got, "does not exist") {
				t.Errorf("%d bytes were stored, want none", len(got))
			}
		})
	}
}

// brokenReader is a body that fails before its end.
type brokenReader struct {
	io.Reader
	left int
}

// Read implements io.Reader.
func (b *brokenReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("broken")
	}
	n, err := b.Reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// TestEndOfService aborts each kind of request that services make in the middle of
// the body, and shows that nothing is stored.
func TestEndOfService(t *testing.T) {
	const size = 200_000
	for name, options := range map[string]minio.PutObjectOptions{"signed": {}, "unsigned": {DisableContentSha256: true}} {
		for _, left := range []int{10, size / 2, size - 1} {
			key := fmt.Sprintf("ended %s %d", name, left)
			options.DisableMultipart = true
			options.SetMatchETagExcept("*")
			t.Cleanup(func() { _ = client.RemoveObject(context.Background(), bucket, key, minio.RemoveObjectOptions{}) })
			body := &brokenReader{strings.NewReader(strings.Repeat("x", size)), left}
			if _, err := client.PutObject(t.Context(), bucket, key, body, size, options); err == nil {
				t.Errorf("%s: the incomplete put succeeded", key)
			}
			// This put either waits for the previous one to end, or precedes it.
			whole := strings.Repeat("y", size)
			_, err := client.PutObject(t.Context(), bucket, key, strings.NewReader(whole), size, options)
			if got := read(t, key); err != nil || got != whole {
				t.Errorf("%s: %v; %d bytes were stored, want %d", key, err, len(got), size)
			}
		}
	}
}

// TestContinue shows that an upload with "Expect: 100-continue" is refused before the body
// is sent if its headers already break a rule.
func TestContinue(t *testing.T) {
	seal(t, "asked", "x")
	for name, length := range map[string]int{"asked": 5, "asked-large": maxSize + 1} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", sign(t, name).RequestURI(), addr, length)
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		if content, err := io.ReadAll(answer.Body); answer.StatusCode < 400 || !answer.Close || err != nil {
			t.Errorf("%s: %d %q, %v", name, answer.StatusCode, content, err)
		}
	}
}

// TestDate checks that no new object was last modified after the time of the response that
// says so. The objects are put at different times of a second, since versitygw's Date is
// late by a part of a second that depends on when it started.
func TestDate(t *testing.T) {
	for i := range 10 {
		name := fmt.Sprint("date-", i)
		seal(t, name, "x")
		u, err := client.PresignedGetObject(t.Context(), bucket, "sealed/"+name, time.Hour, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			r, err := http.NewRequestWithContext(t.Context(), method, u.String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			sent, err := http.ParseTime(answer.Header.Get("Date"))
			if err != nil {
				t.Fatal(err)
			}
			modified, err := http.ParseTime(answer.Header.Get("Last-Modified"))
			if err != nil || modified.After(sent) {
				t.Errorf("%s at %s: the object was modified at %s, %v", method, sent, modified, err)
			}
		}
		time.Sleep(100 * time.Millisecond) // not until something happens: only to another time of the second
	}
}

// TestHead shows that a HEAD request to a download URL returns the headers of GET.
func TestHead(t *testing.T) {
	seal(t, "head", strings.Repeat("x", 3*maxSize))
	for _, key := range []string{"sealed/head", "sealed/nothing"} {
		u, err := client.PresignedGetObject(t.Context(), bucket, key, time.Hour, url.Values{
			"response-content-type": {"application/pdf"}, "response-content-disposition": {`attachment; filename="a b.pdf"; filename*=utf-8''%C3%A4.pdf`},
		})
		if err != nil {
			t.Fatal(err)
		}
		header := func(method string) (int, http.Header, int) {
			r, err := http.NewRequestWithContext(t.Context(), method, u.String(), nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			for _, own := range []string{"Date", "X-Amz-Request-Id", "X-Amz-Id-2"} { // differ for each request
				answer.Header.Del(own)
			}
			return answer.StatusCode, answer.Header, len(body)
		}
		status, got, size := header(http.MethodHead)
		wantStatus, want, _ := header(http.MethodGet)
		if key == "sealed/nothing" { // the error texts contain the request ids, so their lengths differ
			got.Del("Content-Length")
			want.Del("Content-Length")
		} else if got.Get("Content-Length") != fmt.Sprint(3*maxSize) || got.Get("Content-Type") != "application/pdf" || got.Get("ETag") == "" ||
			!strings.Contains(got.Get("Content-Disposition"), "a b.pdf") {
			t.Errorf("HEAD returned %v", got)
		}
		if status != wantStatus || fmt.Sprint(got) != fmt.Sprint(want) || size != 0 {
			t.Errorf("HEAD of %s returned %d %v and %d bytes, GET returned %d %v", key, status, got, size, wantStatus, want)
		}
		u.RawQuery = strings.Replace(u.RawQuery, "pdf", "xml", 1)
		if status, _, _ := header(http.MethodHead); status != 403 {
			t.Errorf("HEAD with an invalid signature returned %d, want 403", status)
		}
	}
	put := sign(t, "head")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, put.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if !slices.Contains([]int{403, 400}, answer.StatusCode) {
		t.Errorf("HEAD of an upload URL returned %d, want 403 or 400", answer.StatusCode)
	}
}
