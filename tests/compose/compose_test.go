// Package compose tests the Docker Compose deployment by following docs/deployment.md.
package compose

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/tests/harness"
)

// project is a deployment that belongs to the test.
type project struct {
	t   *testing.T
	env []string
	dir string
	// secrets is the file that up creates, relative to dir.
	secrets string
}

// run runs a program in the folder of the deployment and returns its output.
func (p *project) run(name string, args ...string) (string, error) {
	p.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(p.t.Context()), name, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// compose runs docker compose or, where the plug-in is missing, docker-compose.
func (p *project) compose(args ...string) string {
	p.t.Helper()
	command := []string{"docker-compose"}
	if exec.CommandContext(p.t.Context(), "docker", "compose", "version").Run() == nil {
		command = []string{"docker", "compose"}
	}
	command = append(append(command, "--env-file", p.secrets), args...)
	out, err := p.run(command[0], command[1:]...)
	if err != nil {
		p.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return out
}

// TestUp starts the deployment with one command, uses it and stops it. All data is
// still there after the next start.
func TestUp(t *testing.T) {
	if harness.ModeOfRun() != harness.Containers {
		t.Skip("needs containers: make test-containers runs it")
	}
	dir := filepath.Join(harness.Root(), "deploy", "compose")
	addr, objects := harness.FreeAddr(t), harness.FreeAddr(t)
	secrets := ".env.test"
	p := &project{t: t, dir: dir, secrets: secrets, env: append(os.Environ(), images(t)...)}
	p.env = append(p.env, "COMPOSE_PROJECT_NAME=recto-test-"+fmt.Sprint(os.Getpid()), "RECTO_ENV_FILE="+secrets, "MONGODB_LOGIN=",
		"RECTO_ADDR="+addr, "RECTO_URL=https://"+addr, "RECTO_OBJECTS_ADDR="+objects, "RECTO_OBJECTS_URL=http://"+objects)
	t.Cleanup(func() {
		p.compose("down", "--volumes", "--timeout", "90")
		_ = os.Remove(filepath.Join(dir, secrets))
	})
	p.up()
	info, err := os.Stat(filepath.Join(dir, secrets))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("secrets file: %v, %v", info, err)
	}
	made := p.compose("exec", "-T", "gateway", "/service", "keys", "create", "--json", "--organization", "Acme", "--email", "a@example.com")
	made = made[max(strings.Index(made, "{"), 0):] // before it is the note that the organization is new, from standard error
	s := &harness.System{}
	if err := json.Unmarshal([]byte(made), &s.Credentials); err != nil {
		t.Fatalf("keys create prints %q: %v", made, err)
	}
	gateway := bytes.TrimSpace([]byte(p.compose("ps", "-q", "gateway")))
	s.BaseURL, s.CAFile = "https://"+addr+"/v2", filepath.Join(t.TempDir(), "ca.pem")
	if out, err := p.run("docker", "cp", string(gateway)+":/certificates/tls/ca.pem", s.CAFile); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := s.Reach(); err != nil {
		t.Fatal(err)
	}
	c := s.Client(t)
	document := use(t, c)
	p.compose("stop", "--timeout", "90")
	p.up()
	c.Get("/documents/" + document).OK(nil)
	c.Post("/documents/"+document+"/convert", nil).OK(nil)
}

// TestModelVariables checks that each variable of the language model that the configuration
// lists can be set in the secrets file.
func TestModelVariables(t *testing.T) {
	passed := read(t, "deploy/compose/compose.yaml")
	listed := regexp.MustCompile("(?m)^\\| `(INSIGHT_MODEL\\w*)`").FindAllStringSubmatch(read(t, "docs/configuration.md"), -1)
	if len(listed) < 10 {
		t.Errorf("the configuration lists %d variables of the language model", len(listed))
	}
	for _, name := range listed {
		if !strings.Contains(passed, "\n      "+name[1]+":\n") {
			t.Errorf("compose.yaml does not pass on %s", name[1])
		}
	}
}

// TestObjectStoreVersion checks that the object store has the version that is tested, wherever
// an image is named.
func TestObjectStoreVersion(t *testing.T) {
	tested := regexp.MustCompile(`github.com/versity/versitygw (\S+)`).FindStringSubmatch(read(t, "libs/go.mod"))
	if tested == nil {
		t.Fatal("libs/go.mod does not require versitygw")
	}
	for _, path := range []string{"deploy/compose/compose.yaml", "deploy/images/names", "docs/deployment.md"} {
		named := regexp.MustCompile(`versity/versitygw:(v[0-9.]+)`).FindStringSubmatch(read(t, path))
		if named == nil || named[1] != tested[1] {
			t.Errorf("%s names %q, and the tests use %s", path, named, tested[1])
		}
	}
}

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(), path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// up starts the deployment as docs/deployment.md says.
func (p *project) up() {
	p.t.Helper()
	begin := time.Now()
	if out, err := p.run(filepath.Join(p.dir, "up")); err != nil {
		p.t.Fatalf("up: %v\n%s", err, out)
	}
	p.t.Logf("ready after %v", time.Since(begin).Round(time.Second))
}

// images returns the variables that set the images of the servers.
func images(t *testing.T) []string {
	t.Helper()
	names, err := harness.ImageNames()
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, server := range []string{"MONGODB", "REDIS", "NATS", "S3"} {
		env = append(env, "RECTO_"+server+"_IMAGE="+names["RECTO_TEST_"+server+"_IMAGE"])
	}
	return env
}

// use creates a document, converts it, requests insights, and returns the document's
// id.
func use(t *testing.T, c *harness.Client) string {
	t.Helper()
	var d struct {
		ID    string
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	c.Post("/documents", map[string]any{"name": "x", "files": []any{map[string]any{"name": "a.txt", "type": "text/plain"}}}).OK(&d)
	if a := c.Raw("PUT", d.Files[0].UploadURL, []byte("text"), nil); a.Status != 200 {
		t.Fatalf("the upload returns %d %s", a.Status, a.Body)
	}
	var converted struct {
		DownloadURL string `json:"download_url"`
	}
	c.Post("/documents/"+d.ID+"/convert", nil).OK(&converted)
	if pdf := c.Raw("GET", converted.DownloadURL, nil, nil); !bytes.HasPrefix(pdf.Body, []byte("%PDF-")) {
		t.Errorf("the PDF is %d %.40q", pdf.Status, pdf.Body)
	}
	c.Post("/documents/convert", map[string]any{"filename": "a.txt", "file_base64": base64.StdEncoding.EncodeToString([]byte("text"))}).OK(nil)
	title := []any{map[string]any{"type": "document_title"}}
	c.Post("/insights", map[string]any{"document_id": d.ID, "insights": title}).OK(nil)
	c.Post("/insights", map[string]any{"url": "https://nats/", "insights": title}).FailsWith(3001, "url url_forbidden")
	return d.ID
}
