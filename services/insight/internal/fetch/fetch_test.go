package fetch_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pkitest"
	"github.com/rectohq/recto/services/insight/internal/fetch"
)

// web is a server of documents on this machine, named files.test, and a client that can
// reach no other.
type web struct {
	*fetch.Client
	server *httptest.Server
	caFile string

	mu       sync.Mutex
	reached  []string
	requests []http.Header
}

// standard is a configuration that can reach the server of a web.
func standard() fetch.Config {
	return fetch.Config{Allow: []string{"127.0.0.1/32"}, MaxBytes: 1 << 20, Timeout: patience.Limit()}
}

// serve starts a web. adapt may change the TLS configuration of its server.
func serve(t *testing.T, cfg fetch.Config, known *nameServer, handler http.HandlerFunc, adapt ...func(*tls.Config)) *web {
	t.Helper()
	w := &web{}
	w.server = httptest.NewUnstartedServer(http.HandlerFunc(func(out http.ResponseWriter, req *http.Request) {
		w.mu.Lock()
		w.requests = append(w.requests, req.Header.Clone())
		w.mu.Unlock()
		handler(out, req)
	}))
	w.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	if cfg.HTTP {
		w.server.Start()
	} else {
		cfg.CAFile = startTLS(t, w.server, cfg.CAFile, adapt)
		w.caFile = cfg.CAFile
	}
	t.Cleanup(w.server.Close)
	w.Client = client(t, cfg, known, func(address string) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reached = append(w.reached, address)
		if address != w.server.Listener.Addr().String() {
			return errReached
		}
		return nil
	})
	return w
}

// startTLS starts a server and returns the file of the authority that clients should
// trust: trusted, or the server's own authority if that is empty.
func startTLS(t *testing.T, server *httptest.Server, trusted string, adapt []func(*tls.Config)) string {
	t.Helper()
	authority, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file, key, err := authority.Issue("server", "files.test", "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.LoadX509KeyPair(file, key)
	if err != nil {
		t.Fatal(err)
	}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	for _, change := range adapt {
		change(server.TLS)
	}
	server.StartTLS()
	if trusted == "" {
		return authority.File
	}
	return trusted
}

// errReached stops a connection that a client was about to make.
var errReached = errors.New("tests connect to their own server only")

// client returns a client that looks up names at known and connects only if watch returns
// nil.
func client(t testing.TB, cfg fetch.Config, known *nameServer, watch func(string) error) *fetch.Client {
	t.Helper()
	c, err := fetch.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Resolve(known.resolver())
	c.Watch(watch)
	return c
}

// local is a name server that knows the server of a web.
func local() *nameServer { return names(map[string][]string{"files.test": {"127.0.0.1"}}) }

// at returns the URL of path on the server, by its name.
func (w *web) at(path string) string {
	u, err := url.Parse(w.server.URL)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf("%s://files.test:%s%s", u.Scheme, u.Port(), path)
}

// refused fails the test unless err refuses the address with the code, and returns
// the entry.
func refused(t testing.TB, address string, err error, code problem.EntryCode) problem.Entry {
	t.Helper()
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != problem.InvalidRequest || len(p.Entries) != 1 {
		t.Fatalf("%q: got %v, want a problem with one entry", address, err)
	}
	e := p.Entries[0]
	if e.Path != "url" || e.Code != code || !strings.HasPrefix(e.Message, "url ") || e.Resolution == "" {
		t.Errorf("%q: got %+v, want %s", address, e, code)
	}
	return e
}

func TestGet(t *testing.T) {
	w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "Text/HTML; Charset=ISO-8859-1")
		fmt.Fprint(out, "a document")
	})
	var got bytes.Buffer
	f, err := w.Get(t.Context(), w.at("/folder/an%20agreement.html?signature=1#top"), &got)
	if err != nil {
		t.Fatal(err)
	}
	want := fetch.File{Name: "an agreement.html", Type: "text/html; charset=ISO-8859-1", Size: 10}
	if f != want || got.String() != "a document" {
		t.Errorf("got %+v with %q, want %+v", f, got.String(), want)
	}
}

// TestRequest shows that requests say nothing about the caller, and do not return cookies.
func TestRequest(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	w := serve(t, standard(), local(), func(out http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/first" {
			http.SetCookie(out, &http.Cookie{Name: "known", Value: "1"})
			http.Redirect(out, req, "/second", http.StatusFound)
		}
	})
	if _, err := w.Get(t.Context(), w.at("/first?token=secret"), io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, header := range w.requests {
		header.Del("Connection")
		for _, name := range []string{"User-Agent", "Accept", "Accept-Encoding"} {
			if header.Get(name) == "" {
				t.Errorf("a request has no %s", name)
			}
			header.Del(name)
		}
		if len(header) > 0 {
			t.Errorf("a request has the further headers %v", header)
		}
	}
	if len(w.requests) != 2 || len(w.reached) != 2 {
		t.Errorf("there were %d requests over %d connections, want 2 over 2", len(w.requests), len(w.reached))
	}
}

func TestStatus(t *testing.T) {
	for _, status := range []int{201, 204, 206, 300, 304, 401, 403, 404, 500} {
		w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(status) })
		_, err := w.Get(t.Context(), w.at("/"), io.Discard)
		if e := refused(t, w.at("/"), err, problem.CodeURLUnreachable); !strings.Contains(e.Message, fmt.Sprint(status)) {
			t.Errorf("the message for status %d is %q", status, e.Message)
		}
	}
}

// TestUnknownName fetches from a host that no name server knows.
func TestUnknownName(t *testing.T) {
	c := client(t, standard(), local(), func(string) error { return errReached })
	_, err := c.Get(t.Context(), "https://nowhere.test/", io.Discard)
	if e := refused(t, "nowhere", err, problem.CodeURLUnreachable); !strings.Contains(e.Message, "unknown host") {
		t.Errorf("got %q", e.Message)
	}
}

// TestVerification shows that no request is sent to a server that cannot be verified.
func TestVerification(t *testing.T) {
	other, err := pkitest.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	distrust := standard()
	distrust.CAFile = other.File
	for name, w := range map[string]*web{
		"other authority": serve(t, distrust, local(), func(http.ResponseWriter, *http.Request) {}),
		"other name":      serve(t, standard(), names(map[string][]string{"other.test": {"127.0.0.1"}}), func(http.ResponseWriter, *http.Request) {}),
		"old protocol":    serve(t, standard(), local(), func(http.ResponseWriter, *http.Request) {}, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11 }),
	} {
		address := w.at("/")
		if name == "other name" {
			address = strings.Replace(address, "files.test", "other.test", 1)
		}
		_, err := w.Get(t.Context(), address, io.Discard)
		if e := refused(t, name, err, problem.CodeURLUnreachable); name != "old protocol" && !strings.Contains(e.Message, "certificate") {
			t.Errorf("%s: got %q", name, e.Message)
		}
		if len(w.requests) > 0 {
			t.Errorf("%s: a request was sent", name)
		}
	}
}

// TestOwnErrors shows that errors of the writer and the context are not blamed on the
// address.
func TestOwnErrors(t *testing.T) {
	w := serve(t, standard(), local(), func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "a document") })
	full := errors.New("the disk is full")
	if _, err := w.Get(t.Context(), w.at("/"), failing{full}); !errors.Is(err, full) || errors.As(err, new(*problem.Error)) {
		t.Errorf("got %v, want the error of the writer", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Get(ctx, w.at("/"), io.Discard); !errors.Is(err, context.Canceled) || errors.As(err, new(*problem.Error)) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestClosedPort fetches from a port where no server listens.
func TestClosedPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "https://" + l.Addr().String() + "/"
	l.Close()
	c := client(t, standard(), local(), func(string) error { return nil })
	_, err = c.Get(t.Context(), address, io.Discard)
	refused(t, address, err, problem.CodeURLUnreachable)
}
