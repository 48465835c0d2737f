package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
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

	"github.com/rectohq/recto/libs/objectserver"
	"github.com/rectohq/recto/tests/harness"
)

// freeAddr returns an address on loopback that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// process is a service that runs as a program of its own.
type process struct {
	t      *testing.T
	name   string
	binary string
	env    []string
	probe  string // its address for metrics and health
	cmd    *exec.Cmd
	output *harness.SafeBuffer
}

// newProcess returns the program of a service, which is a user of NATS of that
// name.
func newProcess(t *testing.T, name, pkg string, env ...string) *process {
	t.Helper()
	binary, err := harness.Build(name, pkg)
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, name: name, binary: binary, probe: freeAddr(t)}
	p.env = append(os.Environ(), append(env, "METRICS_ADDR="+p.probe, "NATS_USER="+name, "NATS_PASSWORD="+harness.NATSPassword(name))...)
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	return p
}

// start starts the program and waits until it says that it is ready.
func (p *process) start() {
	p.t.Helper()
	p.output = &harness.SafeBuffer{}
	p.cmd = exec.Command(p.binary)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, p.output, p.output
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for range 2000 {
		response, err := http.Get("http://" + p.probe + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.t.Fatalf("%s is not ready:\n%s", p.name, p.output)
}

// stop ends the program by the signal and returns how it ended.
func (p *process) stop(signal syscall.Signal) error {
	_ = p.cmd.Process.Signal(signal)
	return p.cmd.Wait()
}

// engines are the servers that deployed services need.
type engines struct {
	env []string // the variables that lead to them
	s3  *objectserver.Server
}

// startEngines starts servers that end with the test.
func startEngines(t *testing.T) *engines {
	t.Helper()
	certificates := filepath.Join(shared.Dir, "tls")
	nats := harness.NATS(t, "server.conf", "NATS_SERVER_NAME=nats", "NATS_STORE_DIR="+t.TempDir(),
		"NATS_TLS_CERT_FILE="+filepath.Join(certificates, "server.pem"), "NATS_TLS_KEY_FILE="+filepath.Join(certificates, "server-key.pem"))
	t.Chdir(harness.Root()) // where the object server leaves it is gone with the test
	objects := freeAddr(t)
	s3, err := objectserver.Start(t.Context(), objectserver.Config{
		Dir: t.TempDir(), Addr: objects, Region: "eu-test-1", AccessKey: "access", SecretKey: "a secret of tests",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s3.Stop() }) // once more is no error
	redis := freeAddr(t)
	_, port, _ := net.SplitHostPort(redis)
	cmd := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatalf("start redis-server: %v; make install-packages installs it", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &engines{s3: s3, env: []string{
		"NATS_URL=" + nats.ClientURL(), "NATS_CA_FILE=" + filepath.Join(certificates, "ca.pem"), "S3_ENDPOINT=http://" + objects, "S3_REGION=eu-test-1",
		"S3_ACCESS_KEY=access", "S3_SECRET_KEY=a secret of tests", "GATEWAY_REDIS_URL=redis://" + redis,
	}}
}

// TestSeparateProcesses runs the services as they are deployed, each a program
// of its own, over servers that are programs of their own.
func TestSeparateProcesses(t *testing.T) {
	engines := startEngines(t)
	common := engines.env
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper)
	secret := filepath.Join(t.TempDir(), "peppers")
	if err := os.WriteFile(secret, []byte("1:"+base64.StdEncoding.EncodeToString(pepper)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	data, addr := t.TempDir(), freeAddr(t)
	document := newProcess(t, "document", "services/document/cmd/document", append(common, "DOCUMENT_DATABASE="+data+"/document.db")...)
	conversion := newProcess(t, "conversion", "services/conversion/cmd/conversion", append(common, "CONVERSION_WORKERS=1", "CONVERSION_DATABASE="+data+"/conversion.db")...)
	annotation := newProcess(t, "annotation", "services/annotation/cmd/annotation", common...)
	insight := newProcess(t, "insight", "services/insight/cmd/insight", common...)
	gateway := newProcess(t, "gateway", "gateway/cmd/gateway", append(common,
		"GATEWAY_ADDR="+addr, "GATEWAY_PUBLIC_URL=https://"+addr, "GATEWAY_DATABASE="+data+"/gateway.db", "GATEWAY_KEY_PEPPERS_FILE="+secret,
		"GATEWAY_IDEMPOTENCY_DATABASE="+data+"/idempotency.db",
		"GATEWAY_TLS_CERT_FILE="+filepath.Join(shared.Dir, "tls", "server.pem"), "GATEWAY_TLS_KEY_FILE="+filepath.Join(shared.Dir, "tls", "server-key.pem"))...)
	processes := []*process{document, conversion, annotation, insight, gateway}
	for _, p := range processes {
		p.start()
	}
	keys := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), gateway.binary, append([]string{"keys"}, args...)...)
		cmd.Env = gateway.env
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("gateway keys %v: %v", args, err)
		}
		return string(out)
	}
	made := decode[struct {
		ID     string
		APIKey string `json:"api_key"`
	}](t, keys("create", "--json", "--organization", "Acme", "--email", "a@acme.example", "--rate", "1000/min"))

	system := *shared
	system.BaseURL = "https://" + addr + "/v2"
	c := system.Client(t).WithKey(made.APIKey)
	d := upload(t, c, "a.docx", testdata(t, "agreement.docx"))
	var got converted
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&got)
	if text := pdfText(t, c.Raw(http.MethodGet, got.DownloadURL, nil, nil).Body); !strings.Contains(text, "Consulting Agreement") {
		t.Errorf("the PDF says %q", text)
	}
	c.Post("/documents/convert", inlineBody("a.docx", testdata(t, "agreement.docx"))).OK(nil)
	metrics := string(c.Raw(http.MethodGet, "http://"+gateway.probe+"/metrics", nil, nil).Body)
	if !strings.Contains(metrics, "recto_ratelimit_fallback_total 0") {
		t.Error("Redis does not count")
	}

	// A service that dies is missed, and taken back when it returns.
	_ = document.stop(syscall.SIGKILL)
	c.Get("/documents/"+d.ID).Fails(503, 5003)
	document.start()
	c.Get("/documents/" + d.ID).OK(nil)

	// So is the object store.
	if err := engines.s3.Stop(); err != nil {
		t.Error(err)
	}
	c.Post("/documents/"+d.ID+"/convert", nil).Fails(503, 5003)
	c.Get("/documents/" + d.ID).OK(nil) // it signs, and dials nobody

	// Revocation is told over the bus.
	keys("revoke", made.ID)
	eventually(t, func() (string, bool) {
		a := c.Get("/me")
		return string(a.Body), a.Status == 403
	})
	for _, p := range processes {
		if err := p.stop(syscall.SIGTERM); err != nil {
			t.Errorf("SIGTERM ends %s with %v:\n%s", p.name, err, p.output)
		}
		for line := range bytes.Lines(p.output.Bytes()) {
			if !json.Valid(line) || bytes.Contains(bytes.ToLower(line), []byte("permission")) { // NATS refuses none anything
				t.Errorf("%s logs %q", p.name, line)
			}
		}
	}
}

// TestRefusedConfigurations starts each program without what it needs: all of
// it is told at once.
func TestRefusedConfigurations(t *testing.T) {
	for program, wants := range map[string][]string{
		"gateway":    {"GATEWAY_DATABASE", "GATEWAY_KEY_PEPPERS", "GATEWAY_TLS_CERT_FILE", "GATEWAY_TYPO is not known"},
		"document":   {"DOCUMENT_DATABASE", "S3_ENDPOINT", "S3_ACCESS_KEY", "S3_SECRET_KEY", "DOCUMENT_POOL", "DOCUMENT_TYPO is not known"},
		"conversion": {"S3_ENDPOINT", "CONVERSION_WORKERS", "CONVERSION_TYPO is not known"},
	} {
		pkg := map[string]string{"gateway": "gateway/cmd/gateway"}[program]
		if pkg == "" {
			pkg = fmt.Sprintf("services/%[1]s/cmd/%[1]s", program)
		}
		binary, err := harness.Build(program, pkg)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Env = append(os.Environ(), strings.ToUpper(program)+"_TYPO=1", "DOCUMENT_POOL=0", "CONVERSION_WORKERS=-1", "NATS_REPLICAS=2")
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s starts", program)
		}
		for _, want := range append(wants, "NATS_REPLICAS must be 1, 3 or 5") {
			if !bytes.Contains(out, []byte(want)) {
				t.Errorf("%s does not say %q:\n%s", program, want, out)
			}
		}
		help, err := exec.CommandContext(context.WithoutCancel(t.Context()), binary, "--help").CombinedOutput()
		if err != nil || !bytes.Contains(help, []byte("NATS_URL")) || !bytes.Contains(help, []byte(strings.ToUpper(program)+"_")) {
			t.Errorf("the help of %s says\n%s", program, help)
		}
	}
}
