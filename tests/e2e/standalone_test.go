package e2e

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestFirstStart checks what recto up prints and stores when it starts on a new data
// folder.
func TestFirstStart(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Rate: "55/min"})
	out := s.Shows(t, "Recto ", "certificates", "bus", "objects", "document", "conversion", "gateway", " ms", "Ready in",
		s.APIKey, s.BaseURL, "/console#sign-in=rs_link_", "is not shown again", "/convert\n")
	_, lines, _ := strings.Cut(out, "Try it.")
	tryIt(t, regexp.MustCompile(`(?m)^  curl .*$`).FindAllString(lines, -1))
	info, err := os.Stat(filepath.Join(s.Dir, "credentials.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("credentials.json: %v, %v", info.Mode(), err)
	}
	content, err := os.ReadFile(filepath.Join(s.Dir, "credentials.json"))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(content, &members); err != nil || len(members) != 5 {
		t.Errorf("credentials.json contains %s, %v", content, err)
	}
	if s.User.ID == "" || s.User.Email == "" || s.User.Name == "" || s.OrganizationID == "" || !filepath.IsAbs(s.CAFile) || !strings.HasSuffix(s.BaseURL, "/v2") {
		t.Errorf("the credentials are %+v", s.Credentials)
	}
	c := s.Client(t)
	if a := c.Get("/me").OK(nil); a.Header.Get("RateLimit-Policy") != `"default";q=55;w=60` {
		t.Errorf("the rate is %s", a.Header.Get("RateLimit-Policy"))
	}
	keys := decode[[]key](t, recto(t, s, "keys", "list", "--json"))
	if len(keys) != 1 || keys[0].OrganizationID != s.OrganizationID || keys[0].Rate != "55/min" {
		t.Errorf("the keys are %+v", keys)
	}
}

// tryIt pastes the lines that recto up prints into a shell, in an empty folder.
func tryIt(t *testing.T, lines []string) {
	t.Helper()
	printed := []string{`"organization"`, `"download_url"`, `"Tom Reed"`, `"download_url"`}
	if len(lines) != len(printed) {
		t.Fatalf("it does not print four curl lines: %q", lines)
	}
	id := ""
	for i, line := range lines {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "DOCUMENT_ID", id)+" -sS")
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), printed[i]) {
			t.Errorf("%s: %v, %s, want %s", line, err, out, printed[i])
		}
		if i == 1 {
			id = decode[document](t, string(out)).ID
		}
	}
}

// TestHealthCommand runs recto health, the health check of containers.
func TestHealthCommand(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	addr := strings.TrimSuffix(strings.TrimPrefix(s.BaseURL, "https://"), "/v2")
	for _, args := range [][]string{{"health", "--addr", addr}, {"health"}} { // without a flag, it finds the address in the data folder
		if out := recto(t, s, args...); out != "ready\n" {
			t.Errorf("while it runs: %q", out)
		}
	}
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(binary, "health", "--data", s.Dir, "--addr", harness.FreeAddr(t)).CombinedOutput()
	if err == nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "is the process running?") {
		t.Errorf("while it does not run: %v, %q", err, out)
	}
}

// TestAllAddresses starts recto on all addresses of the machine, as in a container.
func TestAllAddresses(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{Args: []string{"--addr", "0.0.0.0:0", "--objects-addr", "0.0.0.0:0"}})
	upload(t, s.Client(t), "a.txt", []byte("x"))
}

// TestDataIsPrivate checks the permissions of secret files, and that no other file
// contains the API key.
func TestDataIsPrivate(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	c := s.Client(t)
	upload(t, c, "a.txt", []byte("x"))
	if info, err := os.Stat(filepath.Join(s.Dir, "secrets")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("secrets folder: %v, %v", info.Mode(), err)
	}
	_ = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink == 0 {
			if info, err := d.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v", path, info.Mode())
			}
		}
		return nil // files come and go
	})
	for _, name := range []string{"secrets/key-peppers", "secrets/object-secret-key", "tls/ca-key.pem", "tls/server-key.pem", "curlrc", "credentials.json"} {
		info, err := os.Stat(filepath.Join(s.Dir, name))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	secret := []byte(s.APIKey[8:])
	_ = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "credentials.json" || d.Name() == "curlrc" {
			return err
		}
		if content, err := os.ReadFile(path); err == nil && strings.Contains(string(content), string(secret)) {
			t.Errorf("%s contains the API key", path)
		}
		return nil
	})
}

// TestSecondStart restarts recto on the same data folder, after SIGTERM and after SIGKILL.
func TestSecondStart(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := t.TempDir()
	s, err := harness.Launch(harness.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Client(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	first := s.Credentials
	c.Post("/documents/"+d.ID+"/convert", nil).OK(nil)
	if err := s.Stop(); err != nil {
		t.Fatalf("SIGTERM: %v\n%s", err, s.Output())
	}
	for _, end := range []string{"SIGTERM", "SIGKILL"} { // it also starts after it was killed
		s, err := harness.Launch(harness.Options{Dir: dir, Rate: "5/min"})
		if err != nil {
			t.Fatal(err)
		}
		if s.APIKey != first.APIKey || s.OrganizationID != first.OrganizationID || s.User != first.User || s.CAFile != first.CAFile || s.BaseURL == first.BaseURL {
			t.Errorf("the credentials were %+v and are now %+v", first, s.Credentials)
		}
		if strings.Contains(s.Output(), first.APIKey) {
			t.Error("the key is shown again")
		}
		c := s.Client(t)
		var got document
		c.Get("/documents/" + d.ID).OK(&got)
		if a := c.Raw(http.MethodGet, got.Files[0].DownloadURL, nil, nil); a.Status != 200 || string(a.Body) != string(testdata(t, "agreement.docx")) {
			t.Errorf("the download returns %d", a.Status)
		}
		if a := c.Post("/documents/"+d.ID+"/convert", nil).OK(nil); a.Header.Get("RateLimit-Policy") != `"default";q=1000;w=60` {
			t.Errorf("the rate has changed to %s", a.Header.Get("RateLimit-Policy"))
		}
		if end == "SIGKILL" {
			_ = s.Kill()
		} else if err := s.Stop(); err != nil {
			t.Errorf("SIGTERM: %v", err)
		}
	}
	s = harness.Start(t, harness.Options{Dir: dir})
	s.Client(t).Get("/documents/" + d.ID).OK(nil)
}

// runRecto runs recto with the arguments. It returns its standard output and standard
// error, and whether it exited with status 0.
func runRecto(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	binary, err := harness.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, args...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestRefusedStarts checks the errors of recto up for invalid flags and variables, and for
// folders and addresses that it cannot use.
func TestRefusedStarts(t *testing.T) {
	harness.StandaloneOnly(t)
	s := harness.Start(t, harness.Options{})
	taken := host(s)
	any := []string{"--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0"}
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"a folder in use", append([]string{"--data", s.Dir}, any...), "another Recto runs on"},
		{"an address in use", []string{"--data", t.TempDir(), "--addr", taken, "--objects-addr", "127.0.0.1:0"}, "--addr: " + taken + " is in use by another Recto"},
		{"an objects address in use", []string{"--data", t.TempDir(), "--addr", "127.0.0.1:0", "--objects-addr", taken}, "--objects-addr: " + taken + " is in use by another Recto"},
		{"an invalid rate", append([]string{"--data", t.TempDir(), "--rate", "fast"}, any...), "is not a rate"},
		{"a public URL without TLS", append([]string{"--data", t.TempDir(), "--public-url", "http://x"}, any...), "--public-url must be https://"},
		{"a public URL with a path", append([]string{"--data", t.TempDir(), "--objects-public-url", "https://x/y"}, any...), "--objects-public-url must be https://"},
		{"a folder that cannot be created", append([]string{"--data", "/proc/x"}, any...), "data folder"},
		{"an argument", append([]string{"x"}, any...), `unexpected argument "x"`},
	} {
		if out, ok := runRecto(t, append([]string{"up"}, tc.args...)...); ok || !strings.Contains(out, tc.want) {
			t.Errorf("%s: it prints %q, want %q", tc.name, out, tc.want)
		}
	}
	t.Setenv("CONVERSION_POOL", "-1")
	t.Setenv("GATEWAY_BUDGET", "soon")
	if out, ok := runRecto(t, append([]string{"up", "--data", t.TempDir()}, any...)...); ok || !strings.Contains(out, "CONVERSION_POOL") || !strings.Contains(out, "GATEWAY_BUDGET") {
		t.Errorf("invalid variables: it prints %q", out)
	}
}

// TestPublicURLs checks that public URLs appear in the output and in responses.
func TestPublicURLs(t *testing.T) {
	harness.StandaloneOnly(t)
	s, err := harness.Launch(harness.Options{Args: []string{"--public-url", "https://localhost:1", "--objects-public-url", "https://files.example"}})
	if err == nil {
		t.Cleanup(func() { _ = s.Stop(); _ = s.Remove() })
		t.Fatal("the harness reaches an address that nothing listens on")
	}
	if !strings.Contains(err.Error(), "https://localhost:1/v2/me") { // the error includes the program's output
		t.Errorf("the output lacks the public URL: %v", err)
	}
	// A host name instead of the address, as behind a proxy.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	_ = ln.Close()
	_, port, _ := net.SplitHostPort(addr)
	s = harness.Start(t, harness.Options{Args: []string{"--addr", addr, "--public-url", "https://localhost:" + port, "--objects-public-url", "https://files.example"}})
	if s.BaseURL != "https://localhost:"+port+"/v2" {
		t.Errorf("base_url is %s", s.BaseURL)
	}
	c := s.Client(t)
	d := create(t, c, valid())
	if !strings.HasPrefix(d.Files[0].UploadURL, "https://files.example/") {
		t.Errorf("upload_url is %s", d.Files[0].UploadURL)
	}
	if p := c.Get("/documents/x").Fails(404, 4001); p.Docs != "https://localhost:"+port+"/docs/errors/4001" {
		t.Errorf("docs is %s", p.Docs)
	}
}

// TestEndFinishesRequests sends SIGTERM while requests are in progress. All of them succeed.
func TestEndFinishesRequests(t *testing.T) {
	s, err := harness.Launch(harness.Options{Rate: "unlimited"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Remove() }()
	c := s.Client(t)
	body := inlineBody("a.docx", testdata(t, "agreement.docx"))
	c.Post("/documents/convert", body).OK(nil) // waits until LibreOffice is ready
	const requests = 6
	begun := make(chan struct{}, requests)
	results := make(chan int, requests)
	for range requests {
		go func() {
			encoded, _ := json.Marshal(body)
			request, _ := http.NewRequest(http.MethodPost, s.BaseURL+"/documents/convert", &announcing{r: strings.NewReader(string(encoded)), done: begun})
			request.Header.Set("x-api-key", s.APIKey)
			client := http.Client{Transport: s.Transport()}
			response, err := client.Do(request)
			if err != nil {
				results <- 0
				return
			}
			_ = response.Body.Close()
			results <- response.StatusCode
		}()
	}
	for range requests {
		<-begun
	}
	time.Sleep(50 * time.Millisecond) // until the last bytes have arrived
	if err := s.Stop(); err != nil {
		t.Errorf("SIGTERM: %v\n%s", err, s.Output())
	}
	for range requests {
		if status := <-results; status != 200 {
			t.Errorf("a request in progress gets %d", status)
		}
	}
	if harness.ModeOfRun() == harness.Standalone && !strings.Contains(s.Output(), "Shutting down") {
		t.Errorf("the output does not announce the shutdown:\n%s", s.Output())
	}
}

// announcing is a reader that sends to done when it has been read to its end.
type announcing struct {
	r    io.Reader
	done chan struct{}
}

func (a *announcing) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err != nil {
		a.done <- struct{}{}
	}
	return n, err
}

// TestSignals checks that SIGTERM and SIGINT end the program with status 0.
func TestSignals(t *testing.T) {
	harness.StandaloneOnly(t)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		s, err := harness.Launch(harness.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(s.PID(t), signal); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(); err != nil {
			t.Errorf("after %v the program ends with %v\n%s", signal, err, s.Output())
		}
		_ = s.Remove()
	}
}

// TestKeysCommand runs the key and user commands while the program runs, and after it has
// stopped.
func TestKeysCommand(t *testing.T) {
	harness.StandaloneOnly(t)
	s, err := harness.Launch(harness.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Remove() }()
	type made struct {
		ID             string `json:"id"`
		APIKey         string `json:"api_key"`
		OrganizationID string `json:"organization_id"`
		User           harness.User
	}
	create := func(args ...string) made {
		t.Helper()
		return decode[made](t, recto(t, s, append([]string{"keys", "create", "--json"}, args...)...))
	}
	same := create()
	if same.OrganizationID != s.OrganizationID || same.User != s.User || !regexp.MustCompile(`^rk_live_[0-9A-Za-z]{49}$`).MatchString(same.APIKey) || !strings.HasPrefix(same.ID, "key_") {
		t.Errorf("key of the first organization and user: %+v", same)
	}
	acme := create("--organization", "Acme", "--email", "zoe@acme.example", "--name", "Zoë", "--scopes", "documents:read,convert", "--rate", "7/min", "--expires", "90d", "--test")
	if acme.OrganizationID == s.OrganizationID || acme.User.Email != "zoe@acme.example" || acme.User.Name != "Zoë" || !strings.HasPrefix(acme.APIKey, "rk_test_") {
		t.Errorf("key of a new organization: %+v", acme)
	}
	again := create("--organization", acme.OrganizationID, "--email", "ZOE@acme.example", "--name", "ignored")
	if again.OrganizationID != acme.OrganizationID || again.User != acme.User || again.ID == acme.ID {
		t.Errorf("second key of a user: %+v", again)
	}
	bob := create("--organization", "Acme", "--email", "bob@acme.example")
	if bob.OrganizationID != acme.OrganizationID || bob.User.ID == acme.User.ID {
		t.Errorf("key of a new user: %+v", bob)
	}
	c := s.Client(t).WithKey(acme.APIKey)
	if a := c.Get("/documents").OK(nil); a.Header.Get("RateLimit-Policy") != `"default";q=7;w=60` {
		t.Errorf("the rate of the new key is %s", a.Header.Get("RateLimit-Policy"))
	}
	if keys := decode[[]key](t, recto(t, s, "keys", "list", "--json", "--organization", "Acme")); len(keys) != 3 || fmt.Sprint(keys[0].Scopes) != "[documents:read convert]" || keys[0].Pepper != "1" {
		t.Errorf("the keys of Acme are %+v", keys)
	}
	if text := recto(t, s, "keys", "list"); !strings.Contains(text, acme.ID) || !strings.Contains(text, "7/min") {
		t.Errorf("keys list prints\n%s", text)
	}
	rotated := decode[made](t, recto(t, s, "keys", "rotate", acme.ID, "--json"))
	if rotated.APIKey == acme.APIKey || rotated.User != acme.User {
		t.Errorf("the rotated key is %+v", rotated)
	}
	c.WithKey(rotated.APIKey).Get("/documents").OK(nil)
	for _, old := range []string{acme.APIKey} {
		eventually(t, func() (string, bool) {
			a := c.WithKey(old).Get("/documents")
			return string(a.Body), a.Status == 403
		})
	}
	for name, args := range map[string][]string{
		"an unknown scope": {"keys", "create", "--scopes", "everything"}, "an invalid rate": {"keys", "create", "--rate", "1/s"},
		"a past expiry": {"keys", "create", "--expires", "2020-01-01"}, "an unknown key": {"keys", "revoke", "key_x"},
		"no key": {"keys", "revoke"}, "an ended key": {"keys", "rotate", acme.ID}, "an unknown organization": {"users", "list", "--organization", "x"},
		"no address": {"users", "create"}, "a taken address": {"users", "create", "--organization", "Acme", "--email", "bob@acme.example"},
	} {
		if out, err := s.Recto(t.Context(), args...); err == nil {
			t.Errorf("%s is accepted: %s", name, out)
		}
	}
	recto(t, s, "users", "create", "--organization", "Acme", "--email", "ann@acme.example", "--name", "Ann")
	if users := decode[[]harness.User](t, recto(t, s, "users", "list", "--json", "--organization", "Acme")); len(users) != 3 || users[2].Name != "Ann" {
		t.Errorf("the users of Acme are %+v", users)
	}

	// The commands also work while the program does not run.
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	offline := create("--organization", "Acme")
	recto(t, s, "keys", "revoke", offline.ID)
	if text := recto(t, s, "keys", "list", "--organization", "Acme"); strings.Count(text, "revoked") != 2 || !strings.Contains(text, "never") {
		t.Errorf("keys list prints\n%s", text)
	}
	if keys := decode[[]key](t, recto(t, s, "keys", "list", "--json")); keys[0].LastUsedAt != "" || keys[2].LastUsedAt == "" {
		t.Errorf("the last uses of keys are not stored on shutdown: %+v", keys)
	}
	if out, ok := runRecto(t, "keys", "list", "--data", t.TempDir()); ok || !strings.Contains(out, "not a data folder") {
		t.Errorf("on no data folder it says %q", out)
	}
}

// TestUpHelp checks that the help of recto up lists its flags, defaults and variables.
func TestUpHelp(t *testing.T) {
	harness.StandaloneOnly(t)
	out, ok := runRecto(t, "up", "--help")
	for _, want := range []string{"--data", "--addr", "--objects-addr", "--rate", "--public-url", "--objects-public-url", "127.0.0.1:8443", "./recto-data", "CONVERSION_WORKERS", "GATEWAY_MAX_BODY"} {
		if !ok || !strings.Contains(out, want) {
			t.Errorf("the help of up lacks %s", want)
		}
	}
}

// TestDoctor checks what recto doctor prints on a working machine, with ports in use and
// without LibreOffice.
func TestDoctor(t *testing.T) {
	harness.StandaloneOnly(t)
	args := []string{"doctor", "--data", t.TempDir(), "--addr", "127.0.0.1:0", "--objects-addr", "127.0.0.1:0"}
	out, ok := runRecto(t, args...)
	for _, want := range []string{
		"LibreOffice", "converts a page", "PDF opener", "opens a file", "fonts", "tmpfs", "PDF filler", "opens a form", "form fonts", "Korean", "language model", "sent nowhere", "sandbox", "system calls are allowed", "API port", "objects port", "disk", "clock",
	} {
		if !ok || !strings.Contains(out, want) {
			t.Errorf("doctor does not print %q:\n%s", want, out)
		}
	}
	own := []string{"doctor", "--data", t.TempDir(), "--addr", host(shared), "--objects-addr", objectsHost(t)}
	if out, ok := runRecto(t, own...); !ok || strings.Count(out, "in use by Recto") != 2 {
		t.Errorf("with the ports of a running Recto, doctor prints\n%s", out)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if out, ok := runRecto(t, "doctor", "--data", t.TempDir(), "--addr", ln.Addr().String(), "--objects-addr", "127.0.0.1:0"); ok || !strings.Contains(out, "in use by another program") {
		t.Errorf("with a port in use, doctor prints\n%s", out)
	}
	t.Setenv("CONVERSION_LIBREOFFICE", t.TempDir())
	if out, ok := runRecto(t, args...); ok || !strings.Contains(out, "FAIL") || !strings.Contains(out, "apt-get install") {
		t.Errorf("without LibreOffice, doctor prints\n%s", out)
	}
}

// objectsHost returns the address of the shared system's object store.
func objectsHost(t *testing.T) string {
	t.Helper()
	u, err := url.Parse(create(t, shared.NewClient(t), valid()).Files[0].UploadURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// TestWithoutLibreOffice checks that everything except conversion works without
// LibreOffice. PDFs, which need none, are still converted.
func TestWithoutLibreOffice(t *testing.T) {
	s := harness.Start(t, harness.Options{Env: []string{"CONVERSION_LIBREOFFICE=/nowhere"}})
	if harness.ModeOfRun() == harness.Standalone {
		s.Shows(t, "WARNING: LibreOffice is not installed: there is no soffice.bin in /nowhere", "cannot be converted to PDF (503, code 5003)", "apt-get install")
	}
	c := s.Client(t)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	c.Get("/documents/" + d.ID + "/fields").OK(nil)
	c.Post("/documents/"+d.ID+"/convert", nil).Fails(503, 5003)
	c.Post("/documents/convert", inlineBody("a.docx", testdata(t, "agreement.docx"))).Fails(503, 5003)
	c.Post("/documents/convert", inlineBody("a.pdf", onePagePDF())).OK(nil)
}

// TestMetrics checks the metrics and health served at --metrics-addr.
func TestMetrics(t *testing.T) {
	harness.StandaloneOnly(t)
	addr := harness.FreeAddr(t)
	s := harness.Start(t, harness.Options{Args: []string{"--metrics-addr", addr}})
	c := s.Client(t)
	create(t, c, valid())
	c.WithKey("").Get("/me")
	get := func(path string) string {
		a := c.Raw(http.MethodGet, "http://"+addr+path, nil, nil)
		if a.Status != 200 {
			t.Errorf("%s returns %d", path, a.Status)
		}
		return string(a.Body)
	}
	metrics := get("/metrics")
	for _, want := range []string{
		`recto_http_request_duration_seconds_count{code="ok",method="POST",route="/v2/documents",status="200"} 1`,
		`recto_http_requests_refused_total{reason="missing_key"} 1`, "recto_bus_call_duration_seconds", "recto_ratelimit_fallback_total 0",
		"recto_bus_requests_in_flight", "process_resident_memory_bytes", "go_goroutines",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	if !strings.Contains(get("/livez"), "live") || !strings.Contains(get("/readyz"), `"document":"ready"`) {
		t.Error("the metrics address does not serve health")
	}
}

// TestSandboxIsReported checks that the internal /readyz and the log describe the sandbox
// of the child processes that convert and read files, and that the public /readyz does not.
func TestSandboxIsReported(t *testing.T) {
	harness.StandaloneOnly(t)
	addr := harness.FreeAddr(t)
	s := harness.Start(t, harness.Options{Args: []string{"--metrics-addr", addr}, Env: []string{"LOG_LEVEL=info"}})
	c := s.Client(t)
	var body struct {
		Notes map[string]map[string]string
	}
	notes := func() map[string]map[string]string {
		a := c.Raw(http.MethodGet, "http://"+addr+"/readyz", nil, nil)
		if err := json.Unmarshal(a.Body, &body); err != nil {
			t.Fatalf("/readyz returns %s", a.Body)
		}
		return body.Notes
	}
	// All of it is determined in the background.
	for _, part := range []string{"conversion", "insight"} {
		patience.Until(t, "the sandbox of "+part+" is known", func() bool { return notes()[part]["sandbox"] != "" })
		if note := body.Notes[part]["sandbox"]; !strings.Contains(note, "system calls are allowed") || !strings.Contains(note, "namespaces") {
			t.Errorf("/readyz describes the sandbox of %s as %q", part, note)
		}
	}
	patience.Until(t, "the engine is known", func() bool { return notes()["conversion"]["engine"] != "" })
	if note := body.Notes["conversion"]["engine"]; !strings.Contains(note, "kept warm") {
		t.Errorf("/readyz describes the engine as %q", note)
	}
	for _, what := range []string{"LibreOffice is ready", "the PDF reader is ready"} {
		_, after, _ := strings.Cut(s.Shows(t, what), what)
		if line, _, _ := strings.Cut(after, "\n"); !strings.Contains(line, "system calls are allowed") {
			t.Errorf("the log line %q does not describe the sandbox: %s", what, line)
		}
	}
	if a := c.Do(harness.Request{Path: "//readyz", Undocumented: true}); strings.Contains(string(a.Body), "Landlock") {
		t.Errorf("the public /readyz describes the sandbox: %s", a.Body)
	}
}

// TestCertificates checks that recto certificates creates a certificate for a gateway, and
// keeps it when run again.
func TestCertificates(t *testing.T) {
	harness.StandaloneOnly(t)
	dir := filepath.Join(t.TempDir(), "tls")
	args := []string{"certificates", "--dir", dir, "--host", "api.example,10.1.2.3"}
	out, ok := runRecto(t, args...)
	if !ok || !strings.Contains(out, filepath.Join(dir, "ca.pem")) {
		t.Fatalf("it prints %q", out)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"api.example", "10.1.2.3"} {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	runRecto(t, args...)
	if again, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.pem"), filepath.Join(dir, "server-key.pem")); err != nil || !again.Leaf.Equal(pair.Leaf) {
		t.Errorf("the certificate is not kept: %v", err)
	}
	if out, ok := runRecto(t, "certificates", "--dir", "/proc/x"); ok || !strings.Contains(out, "/proc/x") {
		t.Errorf("with a folder that cannot be created it prints %q", out)
	}
}
