package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestSecondKey sends more than one x-api-key header. Such a request is refused, whatever
// the keys are, before any of them is checked and before the body is read.
func TestSecondKey(t *testing.T) {
	c := shared.NewClient(t)
	const small = `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	for name, keys := range map[string][]string{
		"the same key twice": {c.Key, c.Key}, "valid and invalid": {c.Key, "rk_live_x"}, "invalid and valid": {"rk_live_x", c.Key},
		"two invalid": {"a", "b"}, "empty and valid": {"", c.Key}, "two empty": {"", ""}, "three": {c.Key, c.Key, c.Key},
	} {
		var header strings.Builder
		for i, key := range keys {
			fmt.Fprintf(&header, "%s: %s\r\n", []string{"x-api-key", "X-API-KEY", "X-Api-Key"}[i], key)
		}
		for kind, rest := range map[string]string{
			"no body":          "GET /v2/me HTTP/1.1\r\nHost: x\r\n%s\r\n",
			"no route":         "GET /v2/nothing HTTP/1.1\r\nHost: x\r\n%s\r\n",
			"a body":           fmt.Sprintf("POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%%s\r\n%s", len(small), small),
			"a body not sent":  "POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n%s\r\n",
			"a body too large": "POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 500000000\r\n%s\r\n",
			"100-continue":     "POST /v2/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 500\r\n%s\r\n",
			"chunks not sent":  "POST /v2/documents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n%s\r\n1\r\n{\r\n",
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := dial(t, shared)
				s.send(rest, header.String())
				if a := s.fails(400, 3001); a.Header.Get("RateLimit") != "" || a.Header.Get("X-Request-Id") == "" {
					t.Errorf("the response has the headers %v", a.Header)
				}
			})
		}
	}
	s := dial(t, shared)
	s.send("GET /livez HTTP/1.1\r\nHost: x\r\nx-api-key: a\r\nx-api-key: b\r\n\r\n") // needs no key
	if a := s.answer(); a.StatusCode != 200 {
		t.Errorf("/livez returns %d", a.StatusCode)
	}
	s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n\r\n", c.Key) // on the same connection
	if a := s.answer(); a.StatusCode != 200 {
		t.Errorf("a request with one key returns %d", a.StatusCode)
	}
}

// TestSecondKeyIsNotCounted checks that requests with two keys do not count against the
// rate limit.
func TestSecondKeyIsNotCounted(t *testing.T) {
	c := shared.NewClient(t, "--rate", "1/min")
	s := dial(t, shared)
	for range 3 {
		s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nx-api-key: %s\r\n\r\n", c.Key, c.Key)
		s.fails(400, 3001)
	}
	c.Get("/me").OK(nil)
}

// TestKeysCreateRefusals runs keys create and users create with invalid flags. Nothing is
// created.
func TestKeysCreateRefusals(t *testing.T) {
	c := shared.NewClient(t)
	before := recto(t, shared, "keys", "list", "--json", "--organization", c.OrganizationID)
	for _, args := range [][]string{
		{"--scopes", ""}, {"--scopes="}, {"--scopes", ","}, {"--scopes", "everything"}, {"--email", ""}, {"--email", "zoe"}, {"--email", "zoe@localhost"},
		{"--email", "Zoe <zoe@acme.example>"}, {"--rate", "0/min"}, {"--rate", "-1/min"}, {"--expires", ""}, {"--expires", "0d"}, {"--expires", "-1h"},
	} {
		out, err := shared.Recto(t.Context(), append([]string{"keys", "create", "--organization", c.OrganizationID}, args...)...)
		if err == nil || strings.Contains(out, "rk_") {
			t.Errorf("keys create %q prints %s", args, out)
		}
	}
	if out, err := shared.Recto(t.Context(), "users", "create", "--organization", c.OrganizationID, "--email", "zoe"); err == nil {
		t.Errorf("users create prints %s", out)
	}
	if after := recto(t, shared, "keys", "list", "--json", "--organization", c.OrganizationID); after != before {
		t.Errorf("the keys were\n%s\nand are now\n%s", before, after)
	}
}

// TestUserOfKey creates keys for new users and checks the users that documents show.
func TestUserOfKey(t *testing.T) {
	org := shared.NewClient(t).OrganizationID
	for email, name := range map[string]string{"zoe@acme.example": "Zoë Ünal", "bob@acme.example": ""} {
		args := []string{"keys", "create", "--json", "--organization", org, "--email", email}
		if name != "" {
			args = append(args, "--name", name)
		}
		made := decode[struct {
			APIKey string `json:"api_key"`
			User   harness.User
		}](t, recto(t, shared, args...))
		c := shared.Client(t).WithKey(made.APIKey)
		want := harness.User{ID: made.User.ID, Email: email, Name: name}
		if d := create(t, c, valid()); made.User != want || d.CreatedBy != want || d.UpdatedBy != want {
			t.Errorf("the user is %+v, and the document was created by %+v, want %+v", made.User, d.CreatedBy, want)
		}
		again := decode[struct{ User harness.User }](t, recto(t, shared, "keys", "create", "--json", "--organization", org, "--email", strings.ToUpper(email), "--name", "Somebody else"))
		if again.User != want {
			t.Errorf("the user of another key is %+v, want %+v", again.User, want)
		}
	}
}

const strictTransport = "Strict-Transport-Security"

// TestStrictTransport checks that Strict-Transport-Security is sent only if the public URL
// has a host name and the certificate is not issued by Recto's own authority.
func TestStrictTransport(t *testing.T) {
	if got := shared.NewClient(t).Get("/me").OK(nil).Header.Values(strictTransport); len(got) != 0 {
		t.Errorf("with an IP address: %q", got)
	}
	if harness.ModeOfRun() == harness.Standalone { // has only a certificate of its own authority
		if got := namedStandalone(t).Header.Values(strictTransport); len(got) != 0 {
			t.Errorf("with its own authority: %q", got)
		}
		return
	}
	c := harness.Start(t, harness.Options{Env: []string{"GATEWAY_PUBLIC_URL=https://recto.example"}}).Client(t)
	for _, a := range []*harness.Answer{
		c.Get("/me").OK(nil), c.WithKey("").Get("/me"), c.Get("/documents/doc_x"), c.Do(harness.Request{Path: "//docs", Undocumented: true}),
	} {
		if got := a.Header.Values(strictTransport); len(got) != 1 || got[0] != "max-age=31536000" {
			t.Errorf("with a host name: %d %q", a.Status, got)
		}
	}
}

// namedStandalone starts the standalone program with a public host name that does not
// resolve. It returns the program's response at the address that it listens on.
func namedStandalone(t *testing.T) *http.Response {
	t.Helper()
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir, addr := t.TempDir(), harness.FreeAddr(t)
	program := exec.Command(binary, "up", "--data", dir, "--addr", addr, "--objects-addr", "127.0.0.1:0", "--public-url", "https://recto.example")
	var out bytes.Buffer
	program.Stdout, program.Stderr = &out, &out
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(syscall.SIGTERM)
		if err := program.Wait(); err != nil {
			t.Errorf("stop Recto: %v\n%s", err, out.String())
		}
	})
	roots := x509.NewCertPool()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	for deadline := time.Now().Add(patience.Limit()); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "credentials.json")); err != nil {
			continue // not ready yet
		}
		pem, err := os.ReadFile(filepath.Join(dir, "tls", "ca.pem"))
		if err != nil || !roots.AppendCertsFromPEM(pem) {
			t.Fatalf("ca.pem: %v", err)
		}
		response, err := (&http.Client{Transport: transport}).Get("https://recto.example/livez")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response
	}
	t.Fatal("recto up does not become ready")
	return nil
}
