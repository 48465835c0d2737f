package e2e

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/faultproxy"
	"github.com/rectohq/recto/tests/harness"
)

// proxied puts a proxy on the way to the server that a variable names, and
// returns it and the environment that leads over it.
func proxied(t *testing.T, environ []string, name string) ([]string, *faultproxy.Proxy) {
	t.Helper()
	var changed []string
	var proxy *faultproxy.Proxy
	for _, variable := range environ {
		if address, found := strings.CutPrefix(variable, name+"="); found {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			proxy = faultproxy.New(u.Host)
			t.Cleanup(proxy.Close)
			u.Host = proxy.Addr()
			variable = name + "=" + u.String()
		}
		changed = append(changed, variable)
	}
	if proxy == nil {
		t.Fatalf("%s is not set", name)
	}
	return changed, proxy
}

// deployment is Recto in several processes, over engines that can fail.
type deployment struct {
	gateway, document, conversion *process
	objects, redis                *faultproxy.Proxy
	client                        *harness.Client
}

// deploy starts a deployment whose object store is not there yet.
func deploy(t *testing.T) *deployment {
	t.Helper()
	environ := startEngines(t).env
	for _, variable := range environ {
		if address, found := strings.CutPrefix(variable, "S3_ENDPOINT="); found {
			environ = append(environ, "S3_PUBLIC_ENDPOINT="+address) // clients reach it all the time
		}
	}
	d := &deployment{}
	environ, d.objects = proxied(t, environ, "S3_ENDPOINT")
	environ, d.redis = proxied(t, environ, "GATEWAY_REDIS_URL")
	d.objects.Set(faultproxy.Refuse)
	pepper := make([]byte, 32)
	_, _ = rand.Read(pepper)
	data, addr := t.TempDir(), freeAddr(t)
	environ = append(environ,
		"DOCUMENT_DATABASE="+data+"/document.db", "CONVERSION_DATABASE="+data+"/conversion.db", "CONVERSION_WORKERS=1",
		"GATEWAY_ADDR="+addr, "GATEWAY_PUBLIC_URL=https://"+addr, "GATEWAY_DATABASE="+data+"/gateway.db",
		"GATEWAY_IDEMPOTENCY_DATABASE="+data+"/idempotency.db", "GATEWAY_KEY_PEPPERS=1:"+base64.StdEncoding.EncodeToString(pepper),
		"GATEWAY_TLS_CERT_FILE="+filepath.Join(shared.Dir, "tls", "server.pem"), "GATEWAY_TLS_KEY_FILE="+filepath.Join(shared.Dir, "tls", "server-key.pem"))
	d.gateway = newProcess(t, "gateway", "gateway/cmd/gateway", environ...)
	d.document = newProcess(t, "document", "services/document/cmd/document", environ...)
	d.conversion = newProcess(t, "conversion", "services/conversion/cmd/conversion", environ...)
	for _, p := range d.processes() {
		p.launch()
	}
	d.gateway.ready()
	keys := exec.CommandContext(t.Context(), d.gateway.binary, "keys", "create", "--json", "--organization", "Acme", "--email", "a@acme.example", "--rate", "100000/min")
	keys.Env = d.gateway.env
	made, err := keys.Output()
	if err != nil {
		t.Fatal(err)
	}
	system := *shared
	system.BaseURL = "https://" + addr + "/v2"
	d.client = system.Client(t).WithKey(decode[struct {
		APIKey string `json:"api_key"`
	}](t, string(made)).APIKey)
	return d
}

func (d *deployment) processes() []*process {
	return []*process{d.gateway, d.document, d.conversion}
}

// TestOutages starts the services before their object store, and takes that, and
// Redis, away from them: each request is answered in time, and all work again
// when the engines are back, without a restart.
func TestOutages(t *testing.T) {
	d := deploy(t)
	for _, p := range []*process{d.document, d.conversion} {
		eventually(t, func() (string, bool) {
			status, body := p.get("/readyz")
			return "{}", status == http.StatusServiceUnavailable && strings.Contains(body, "connection refused")
		})
	}
	d.client.Get("/documents").Fails(503, 5003)
	d.objects.Set(faultproxy.None)
	for _, p := range d.processes() {
		p.ready()
	}
	converts := func(id string) {
		t.Helper()
		eventually(t, func() (string, bool) {
			a := d.client.Post("/documents/"+id+"/convert", nil)
			return "{}", a.Status == http.StatusOK
		})
	}
	converts(upload(t, d.client, "a.docx", testdata(t, "agreement.docx")).ID)

	d.objects.Set(faultproxy.Stall)
	stalled := upload(t, d.client, "b.docx", testdata(t, "agreement.docx")) // which asks the object store nothing
	d.client.Post("/documents/"+stalled.ID+"/convert", nil).Fails(503, 5003)
	d.client.Get("/documents/" + stalled.ID).OK(nil)
	d.objects.Set(faultproxy.None)
	converts(stalled.ID)

	d.objects.Set(faultproxy.Stall)
	d.objects.Freeze() // and the connections of before never come back
	d.objects.Set(faultproxy.None)
	converts(upload(t, d.client, "c.docx", testdata(t, "agreement.docx")).ID)

	d.loseRedis(t)
	if !strings.Contains(d.conversion.output.String(), "removes no converted files by itself") {
		t.Errorf("the object store was not asked to expire converted files:\n%s", d.conversion.output)
	}
	for _, p := range d.processes() {
		if err := p.stop(syscall.SIGTERM); err != nil {
			t.Errorf("SIGTERM ends %s with %v:\n%s", p.name, err, p.output)
		}
	}
}

// loseRedis takes Redis away in several ways. No request fails, and it counts
// again when it is back.
func (d *deployment) loseRedis(t *testing.T) {
	t.Helper()
	ask := func() (fallbacks string) {
		for range 20 {
			d.client.Get("/me").OK(nil)
		}
		_, metrics := d.gateway.get("/metrics")
		for line := range strings.Lines(metrics) {
			if n, found := strings.CutPrefix(line, "recto_ratelimit_fallback_total "); found {
				return strings.TrimSpace(n)
			}
		}
		t.Fatal("there is no metric of requests that were counted locally")
		return ""
	}
	for name, begin := range map[string]func(){
		"dead":      func() { d.redis.Set(faultproxy.Refuse); d.redis.Cut() },
		"half dead": func() { d.redis.Set(faultproxy.HalfDead) },
		"slow":      func() { d.redis.SetLatency(time.Second) },
	} {
		before := ask()
		begin()
		if ask() == before {
			t.Errorf("while Redis is %s, nothing is counted locally", name)
		}
		d.redis.Set(faultproxy.None)
		d.redis.SetLatency(0)
		eventually(t, func() (string, bool) {
			before := ask()
			return "{}", ask() == before
		})
	}
}
