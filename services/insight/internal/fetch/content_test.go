package fetch_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/problem"
)

// gzipped returns content as gzip.
func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSize fetches documents up to and beyond the maximum size, in every transfer mode.
func TestSize(t *testing.T) {
	cfg := standard()
	cfg.MaxBytes = 100_000
	for _, size := range []int{0, 1, 99_999, 100_000, 100_001, 300_000, 10 << 20} {
		content := make([]byte, size)
		packed := gzipped(t, content)
		for name, handler := range map[string]http.HandlerFunc{
			"announced": func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Length", fmt.Sprint(size))
				out.Write(content)
			},
			"chunked": func(out http.ResponseWriter, _ *http.Request) {
				out.(http.Flusher).Flush()
				out.Write(content)
			},
			"gzip": func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Encoding", "gzip")
				out.Write(packed)
			},
		} {
			w := serve(t, cfg, local(), handler)
			var got bytes.Buffer
			f, err := w.Get(t.Context(), w.at("/"), &got)
			switch {
			case int64(size) <= cfg.MaxBytes:
				if err != nil || f.Size != int64(size) || !bytes.Equal(got.Bytes(), content) {
					t.Errorf("%d bytes, %s: got %d, %v", size, name, got.Len(), err)
				}
			default:
				if e := refused(t, name, err, problem.CodeURLUnreachable); !strings.Contains(e.Message, "more than 100000 bytes") {
					t.Errorf("%d bytes, %s: got %q", size, name, e.Message)
				}
			}
			if int64(got.Len()) > cfg.MaxBytes {
				t.Errorf("%d bytes, %s: %d were written", size, name, got.Len())
			}
		}
	}
}

// TestEndless fetches from servers whose responses never end.
func TestEndless(t *testing.T) {
	empty := gzipped(t, nil)
	for name, handler := range map[string]http.HandlerFunc{
		"bytes": func(out http.ResponseWriter, _ *http.Request) {
			for err := error(nil); err == nil; {
				_, err = out.Write(make([]byte, 32<<10))
			}
		},
		"empty gzip members": func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Encoding", "gzip")
			for err := error(nil); err == nil; {
				_, err = out.Write(bytes.Repeat(empty, 1000))
			}
		},
	} {
		w := serve(t, standard(), local(), handler)
		_, err := w.Get(t.Context(), w.at("/"), io.Discard)
		if e := refused(t, name, err, problem.CodeURLUnreachable); !strings.Contains(e.Message, "more than") {
			t.Errorf("%s: got %q", name, e.Message)
		}
	}
}

// TestSilence fetches from servers that stall.
func TestSilence(t *testing.T) {
	cfg := standard()
	cfg.Timeout = 300 * time.Millisecond
	for name, begin := range map[string]func(out http.ResponseWriter){
		"before the response": func(http.ResponseWriter) {},
		"after the header":    func(out http.ResponseWriter) { out.(http.Flusher).Flush() },
		"within the content": func(out http.ResponseWriter) {
			fmt.Fprint(out, "a docu")
			out.(http.Flusher).Flush()
		},
		"before gzip": func(out http.ResponseWriter) {
			out.Header().Set("Content-Encoding", "gzip")
			out.(http.Flusher).Flush()
		},
	} {
		w := serve(t, cfg, local(), func(out http.ResponseWriter, req *http.Request) {
			begin(out)
			<-req.Context().Done()
		})
		_, err := w.Get(t.Context(), w.at("/"), io.Discard)
		if e := refused(t, name, err, problem.CodeURLUnreachable); !strings.Contains(e.Message, "in time") {
			t.Errorf("%s: got %q", name, e.Message)
		}
	}
}

// TestBroken fetches malformed and truncated responses.
func TestBroken(t *testing.T) {
	whole := gzipped(t, bytes.Repeat([]byte("a document "), 1000))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 1
	const ok = "HTTP/1.1 200 OK\r\n"
	for name, answer := range map[string]string{
		"shorter than announced": ok + "Content-Length: 100\r\n\r\nshort",
		"two lengths":            ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"a negative length":      ok + "Content-Length: -1\r\n\r\n",
		"a truncated chunk":      ok + "Transfer-Encoding: chunked\r\n\r\nff\r\nshort",
		"a malformed chunk":      ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nshort",
		"not gzip":               ok + "Content-Encoding: gzip\r\n\r\nplain text",
		"truncated gzip":         ok + "Content-Encoding: gzip\r\n\r\n" + string(whole[:len(whole)/2]),
		"damaged gzip":           ok + "Content-Encoding: gzip\r\n\r\n" + string(damaged),
		"gzip within gzip":       ok + "Content-Encoding: gzip, gzip\r\n\r\n" + string(whole),
		"an encoding not asked":  ok + "Content-Encoding: br\r\n\r\nx",
		"a large header":         ok + "X: " + strings.Repeat("x", 100<<10) + "\r\n\r\n",
		"endless hints":          strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5000),
		"another protocol":       "SSH-2.0-OpenSSH_9.9\r\n",
		"nothing":                "",
	} {
		w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(out).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, answer)
		})
		_, err := w.Get(t.Context(), w.at("/"), io.Discard)
		refused(t, name, err, problem.CodeURLUnreachable)
		if len(w.requests) != 1 {
			t.Errorf("%s: there were %d requests", name, len(w.requests))
		}
	}
}

func TestFileNames(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, test := range []struct{ path, disposition, want string }{
		{"/a/contract.pdf", "", "contract.pdf"},
		{"/a/contract.pdf?name=b.pdf", "inline", "contract.pdf"},
		{"/a/b/", "", "b"},
		{"/", "", "document"},
		{"", "", "document"},
		{"/..", "", "document"},
		{"/a%2Fb%5Cc.pdf", "", "c.pdf"},
		{"/%E2%80%AEfdp.exe", "", "fdp.exe"},
		{"/%FFa%00.pdf", "", "a.pdf"},
		{"/" + strings.Repeat("a", 300) + ".pdf", "", strings.Repeat("a", 251) + ".pdf"},
		{"/x", `attachment; filename="a contract.pdf"`, "a contract.pdf"},
		{"/x", `attachment; filename=contract.pdf; filename*=UTF-8''vertr%C3%A4ge.pdf`, "verträge.pdf"},
		{"/x", `attachment; filename="../../etc/passwd"`, "passwd"},
		{"/x", `attachment; filename="C:\\folder\\contract.pdf"`, "contract.pdf"},
		{"/x", `attachment; filename="..."`, "x"},
		{"/x", `attachment; filename*=UTF-8''` + strings.ReplaceAll(long, "é", "%C3%A9") + ".docx", strings.Repeat("é", 250) + ".docx"},
		{"/x.pdf", `;;; "broken`, "x.pdf"},
	} {
		w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Disposition", test.disposition)
		})
		f, err := w.Get(t.Context(), w.at(test.path), io.Discard)
		if err != nil || f.Name != test.want {
			t.Errorf("%s, %s: got %q, %v, want %q", test.path, test.disposition, f.Name, err, test.want)
		}
	}
}

func TestMediaTypes(t *testing.T) {
	for header, want := range map[string]string{
		"application/pdf":                                         "application/pdf",
		" Text/Plain;charset=\"utf-8":                             "text/plain",
		"text/plain;charset=UTF-8":                                "text/plain; charset=UTF-8",
		"text/html; charset=utf-8; charset=utf-16":                "text/html",
		"text/html; charset":                                      "text/html",
		"application/xhtml+xml;;":                                 "application/xhtml+xml",
		"text/html; charset=utf-8; a=" + strings.Repeat("a", 300): "text/html",
		"text/" + strings.Repeat("a", 300):                        "",
		"pdf":                                                     "",
		"pdf; charset=utf-8; charset=utf-8":                       "",
		"text/html, text/html":                                    "",
		";":                                                       "",
		"":                                                        "",
	} {
		w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) {
			out.Header()["Content-Type"] = []string{header}
		})
		f, err := w.Get(t.Context(), w.at("/"), io.Discard)
		if err != nil || f.Type != want {
			t.Errorf("%q: got %q, %v, want %q", header, f.Type, err, want)
		}
	}
}
