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

// sign returns a URL for the upload of that name.
func sign(t *testing.T, name string) *url.URL {
	t.Helper()
	u, err := client.PresignedPutObject(t.Context(), bucket, "in/"+name, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// seal puts an object, as a sealer does, and removes it at the end.
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

// read returns the bytes of an object, or why there are none.
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

// upload is a request to upload something.
type upload struct {
	contentType, content string
	chunked, expect      bool
}

// put sends an upload over a connection of its own and returns the status of the
// answer, and the code and message of a refusal.
func (u upload) put(t *testing.T, target string) (status int, code, message string) {
	t.Helper()
	var body io.Reader = strings.NewReader(u.content)
	if u.chunked {
		body = io.MultiReader(body) // which does not tell its length
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

// form returns a multipart form around a content, and its type.
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

// TestUploads sends uploads of every kind in every way that HTTP has.
func TestUploads(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", maxSize/16)
	formType, small := form(t, "x")
	_, largeForm := form(t, large[:maxSize/2])
	for i, c := range []struct {
		name   string
		upload upload
		status int
		code   string
		remedy string // in the message
	}{
		{"raw bytes", upload{content: "%PDF-1.7"}, 200, "", ""},
		{"the largest", upload{content: large}, 200, "", ""},
		{"nothing", upload{}, 200, "", ""},
		{"raw bytes under a multipart type", upload{contentType: formType, content: "%PDF-1.7 " + small}, 200, "", ""},
		{"a form", upload{contentType: formType, content: small}, 415, "UnsupportedMediaType", "curl -T"},
		{"a large form", upload{contentType: formType, content: largeForm}, 415, "UnsupportedMediaType", "raw bytes"},
		{"a form under another type", upload{contentType: "application/pdf", content: small}, 415, "UnsupportedMediaType", "raw bytes"},
		{"a byte too much", upload{content: large + "x"}, 413, "EntityTooLarge", "1048576"},
		{"much too much", upload{content: strings.Repeat(large, 20)}, 413, "EntityTooLarge", "1048576"},
	} {
		for way := range 4 {
			u := c.upload
			u.chunked, u.expect = way&1 != 0, way&2 != 0 && len(u.content) > 0
			t.Run(fmt.Sprintf("%s, chunked %v, expect %v", c.name, u.chunked, u.expect), func(t *testing.T) {
				name := fmt.Sprintf("kind-%d-%d", i, way)
				status, code, message := u.put(t, sign(t, name).String())
				if status != c.status || code != c.code || !strings.Contains(message, c.remedy) {
					t.Fatalf("answered %d %s %q, want %d %s and how to mend it: %q", status, code, message, c.status, c.code, c.remedy)
				}
				stored := read(t, "in/"+name)
				if status == 200 && stored != u.content || status != 200 && !strings.Contains(stored, "does not exist") {
					t.Errorf("stored is %.100q", stored)
				}
			})
		}
	}
	if left, err := os.ReadDir(spooled); err != nil || len(left) > 0 {
		t.Errorf("left behind is %v, %v", left, err)
	}
}

// TestUploadAfterSealing replaces an upload until it is sealed: from then on
// every one is refused, and changes nothing.
func TestUploadAfterSealing(t *testing.T) {
	target := sign(t, "twice").String()
	for _, content := range []string{"", "first", "second"} {
		if status, code, _ := (upload{content: content}).put(t, target); status != 200 {
			t.Errorf("%q before the sealing: %d %s", content, status, code)
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
			t.Errorf("%.20q after the sealing: %d %s %q", u.content, status, code, message)
		}
	}
	if got := read(t, "in/twice"); got != "second" {
		t.Errorf("the upload has become %.20q", got)
	}
}

// TestUploadDuringSealing seals a file while an upload to it is on its way: from
// other bytes, or from the same.
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
			t.Errorf("the upload of %q while %q is sealed: %d, want %d", "these", content, answer.StatusCode, want)
		}
	}
}

// TestUploadNeedsSignature checks that nobody is told what is sealed, and nothing
// is read, without a URL that is signed and valid.
func TestUploadNeedsSignature(t *testing.T) {
	seal(t, "secret", "x")
	good := sign(t, "secret")
	for name, change := range map[string]func(url.Values){
		"none":         func(q url.Values) { clear(q) },
		"no signature": func(q url.Values) { q.Del("X-Amz-Signature") },
		"another":      func(q url.Values) { q.Set("X-Amz-Signature", strings.Repeat("0", 64)) },
		"longer":       func(q url.Values) { q.Set("X-Amz-Expires", "7200") },
		"no time":      func(q url.Values) { q.Del("X-Amz-Expires") },
		"of yesterday": func(q url.Values) {
			q.Set("X-Amz-Date", time.Now().Add(-24*time.Hour).UTC().Format("20060102T150405Z"))
		},
		"for something": func(q url.Values) { q.Set("tagging", "") },
	} {
		u, query := *good, good.Query()
		change(query)
		u.RawQuery = query.Encode()
		for _, sent := range []upload{{content: "x"}, {content: strings.Repeat("x", 2*maxSize)}, {content: "x", expect: true}, {content: "x", chunked: true}} {
			if status, code, _ := sent.put(t, u.String()); status != 403 && status != 400 && status != 411 {
				t.Errorf("with the signature %s, %d bytes are answered %d %s", name, len(sent.content), status, code)
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
			t.Fatalf("with a URL that expires: %d %s", status, code)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestUnreadBodyIsNoRequest sends refused uploads whose bodies look like requests,
// and a request behind each: the connection ends with the refusal.
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
					t.Errorf("%d answers: %.500q", len(answers), bodies)
				}
			})
		}
	}
}

// TestStoredBodyIsNoRequest sends uploads that are stored, and a request behind
// each, which is answered as its own.
func TestStoredBodyIsNoRequest(t *testing.T) {
	inner := "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for framing, frame := range map[string]func(string) string{"chunked": chunked, "counted": counted} {
		t.Run(framing, func(t *testing.T) {
			head := "PUT " + sign(t, "stored-"+framing).RequestURI() + " HTTP/1.1\r\nHost: " + addr + "\r\n"
			answers, bodies := exchange(t, head+frame(inner)+next)
			if len(answers) != 2 || answers[0].StatusCode != 200 || !strings.Contains(bodies[1], "<BucketName>next<") {
				t.Errorf("%d answers: %.500q", len(answers), bodies)
			}
			if got := read(t, "in/stored-"+framing); got != inner {
				t.Errorf("stored is %q", got)
			}
		})
	}
}

// TestBrokenChunks sends uploads whose chunks are no such, or end early: nothing
// is stored.
func TestBrokenChunks(t *testing.T) {
	for i, body := range []string{"nonsense\r\n", "5\r\nabc\r\n0\r\n\r\n", "5\r\nabcdeXX0\r\n\r\n", "-1\r\n\r\n", "ffffffffffffffffff\r\nx"} {
		name := fmt.Sprintf("broken-%d", i)
		head := "PUT " + sign(t, name).RequestURI() + " HTTP/1.1\r\nHost: " + addr + "\r\nTransfer-Encoding: chunked\r\n\r\n"
		answers, _ := exchange(t, head+body+next)
		if len(answers) != 1 || answers[0].StatusCode != 400 {
			t.Errorf("the chunks %q have %d answers: %+v", body, len(answers), answers)
		}
		if got := read(t, "in/"+name); !strings.Contains(got, "does not exist") {
			t.Errorf("stored is %q", got)
		}
	}
}

// TestEndOfClient ends the connection in the middle of uploads, of which a part may
// have been stored already: nothing is there in the end.
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
			// The other direction stays open: its end says that the server is done.
			if tcp, ok := conn.(*net.TCPConn); !ok || tcp.CloseWrite() != nil {
				t.Fatal("the connection cannot be closed")
			}
			if answer, err := io.ReadAll(conn); strings.HasPrefix(string(answer), "HTTP/1.1 2") {
				t.Errorf("answered is %.300q, %v", answer, err)
			}
			if got := read(t, "in/"+key); !strings.Contains(got, "does not exist") {
				t.Errorf("stored are %d bytes", len(got))
			}
		})
	}
}

// brokenReader is a body that cannot be read to its end.
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

// TestEndOfService ends a request of a service in the middle, of each kind that
// there is: nothing is stored.
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
				t.Errorf("%s is put", key)
			}
			// What is put under the key now waits for the end of what went before, or comes before it.
			whole := strings.Repeat("y", size)
			_, err := client.PutObject(t.Context(), bucket, key, strings.NewReader(whole), size, options)
			if got := read(t, key); err != nil || got != whole {
				t.Errorf("%s: %v, stored are %d bytes", key, err, len(got))
			}
		}
	}
}

// TestContinue asks for leave to send a body that is refused by its head: it is
// refused before it is sent.
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

// TestHead asks for the head alone of what URLs to download lead to: it is that
// of GET.
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
			for _, own := range []string{"Date", "X-Amz-Request-Id", "X-Amz-Id-2"} { // of each request
				answer.Header.Del(own)
			}
			return answer.StatusCode, answer.Header, len(body)
		}
		status, got, size := header(http.MethodHead)
		wantStatus, want, _ := header(http.MethodGet)
		if key == "sealed/nothing" { // the texts of two errors differ in the ids of their requests
			got.Del("Content-Length")
			want.Del("Content-Length")
		} else if got.Get("Content-Length") != fmt.Sprint(3*maxSize) || got.Get("Content-Type") != "application/pdf" || got.Get("ETag") == "" ||
			!strings.Contains(got.Get("Content-Disposition"), "a b.pdf") {
			t.Errorf("HEAD answers %v", got)
		}
		if status != wantStatus || fmt.Sprint(got) != fmt.Sprint(want) || size != 0 {
			t.Errorf("HEAD of %s answers %d %v and %d bytes, GET %d %v", key, status, got, size, wantStatus, want)
		}
		u.RawQuery = strings.Replace(u.RawQuery, "pdf", "xml", 1)
		if status, _, _ := header(http.MethodHead); status != 403 {
			t.Errorf("HEAD with another signature answers %d", status)
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
		t.Errorf("HEAD of a URL to upload answers %d", answer.StatusCode)
	}
}
