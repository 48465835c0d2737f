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

// TestSecondKey sends more than one x-api-key header. It is refused whatever the
// keys are, before any of them is looked at and before the body is read.
func TestSecondKey(t *testing.T) {
	c := shared.NewClient(t)
	const small = `{"name":"x","files":[{"name":"a.docx","type":"a/b"}]}`
	for name, keys := range map[string][]string{
		"twice the same": {c.Key, c.Key}, "a good and a bad one": {c.Key, "rk_live_x"}, "a bad and a good one": {"rk_live_x", c.Key},
		"two bad ones": {"a", "b"}, "an empty and a good one": {"", c.Key}, "two empty ones": {"", ""}, "three": {c.Key, c.Key, c.Key},
	} {
		var header strings.Builder
		for i, key := range keys {
			fmt.Fprintf(&header, "%s: %s\r\n", []string{"x-api-key", "X-API-KEY", "X-Api-Key"}[i], key)
		}
		for kind, rest := range map[string]string{
			"no body":              "GET /v2/me HTTP/1.1\r\nHost: x\r\n%s\r\n",
			"no route":             "GET /v2/nothing HTTP/1.1\r\nHost: x\r\n%s\r\n",
			"a body":               fmt.Sprintf("POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%%s\r\n%s", len(small), small),
			"a body that is kept":  "POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n%s\r\n",
			"a body too large":     "POST /v2/documents HTTP/1.1\r\nHost: x\r\nContent-Length: 500000000\r\n%s\r\n",
			"a body to be asked":   "POST /v2/documents HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 500\r\n%s\r\n",
			"chunks, kept as well": "POST /v2/documents HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n%s\r\n1\r\n{\r\n",
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				s := dial(t, shared)
				s.send(rest, header.String())
				if a := s.fails(400, 3001); a.Header.Get("RateLimit") != "" || a.Header.Get("X-Request-Id") == "" {
					t.Errorf("the answer has the headers %v", a.Header)
				}
			})
		}
	}
	s := dial(t, shared)
	s.send("GET /livez HTTP/1.1\r\nHost: x\r\nx-api-key: a\r\nx-api-key: b\r\n\r\n") // which no key is needed for
	if a := s.answer(); a.StatusCode != 200 {
		t.Errorf("/livez answers %d", a.StatusCode)
	}
	s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\n\r\n", c.Key) // on the same connection
	if a := s.answer(); a.StatusCode != 200 {
		t.Errorf("one key is answered %d", a.StatusCode)
	}
}

// TestSecondKeyIsNotCounted sends two keys more often than either may be used.
func TestSecondKeyIsNotCounted(t *testing.T) {
	c := shared.NewClient(t, "--rate", "1/min")
	s := dial(t, shared)
	for range 3 {
		s.send("GET /v2/me HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nx-api-key: %s\r\n\r\n", c.Key, c.Key)
		s.fails(400, 3001)
	}
	c.Get("/me").OK(nil)
}

// TestKeysCreateRefusals gives the command line what must not become a key.
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
		t.Errorf("the keys were\n%s\nand are\n%s", before, after)
	}
}

// TestUserOfKey makes keys for new users, and looks at what documents say of
// them.
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
			t.Errorf("another key is of %+v, want %+v", again.User, want)
		}
	}
}

const strictTransport = "Strict-Transport-Security"

// TestStrictTransport looks at what answers say of HTTPS: nothing where the system
// is public under an address, and where it serves a certificate of its own authority.
func TestStrictTransport(t *testing.T) {
	if got := shared.NewClient(t).Get("/me").OK(nil).Header.Values(strictTransport); len(got) != 0 {
		t.Errorf("under an address: %q", got)
	}
	if harness.ModeOfRun() == harness.Standalone { // which has no other certificate
		if got := namedStandalone(t).Header.Values(strictTransport); len(got) != 0 {
			t.Errorf("under its own authority: %q", got)
		}
		return
	}
	c := harness.Start(t, harness.Options{Env: []string{"GATEWAY_PUBLIC_URL=https://recto.example"}}).Client(t)
	for _, a := range []*harness.Answer{
		c.Get("/me").OK(nil), c.WithKey("").Get("/me"), c.Get("/documents/doc_x"), c.Do(harness.Request{Path: "//docs", Undocumented: true}),
	} {
		if got := a.Header.Values(strictTransport); len(got) != 1 || got[0] != "max-age=31536000" {
			t.Errorf("under a name: %d %q", a.Status, got)
		}
	}
}

// namedStandalone starts the standalone program under a public name, which leads
// nowhere, and returns what it answers where it listens.
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
			t.Errorf("end Recto: %v\n%s", err, out.String())
		}
	})
	roots := x509.NewCertPool()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}}
	for deadline := time.Now().Add(patience.Limit()); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "credentials.json")); err != nil {
			continue // it is not ready
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
	t.Fatal("recto up is not ready")
	return nil
}
