package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/jobservice/jobrun"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/libs/testkit/pdftest"
	"github.com/rectohq/recto/libs/testkit/servicetest"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/document"
	"github.com/rectohq/recto/services/insight"
)

// databases returns the path or URL of the database of a part: gateway, idempotency,
// document, conversion, annotation or insight.
type databases func(part string) string

// inFolder returns databases in SQLite files.
func inFolder(dir string) databases {
	return func(part string) string { return filepath.Join(dir, part+".db") }
}

// world is the services of this tree, on a NATS server and a bucket of their own.
type world struct {
	*servicetest.World
	*traffic
	// nc may do anything on the NATS server.
	nc *nats.Conn
	at databases
	// services are those that run.
	services map[string]*servicetest.Service
	// url is the address of the gateway, if it was started.
	url string
}

// newWorld returns a world without services.
func newWorld(t *testing.T, at databases) *world {
	t.Helper()
	w := servicetest.New(t)
	nc, err := nats.Connect("", w.NATS.Option())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return &world{World: w, nc: nc, at: at, services: map[string]*servicetest.Service{}}
}

// start starts the services and waits until they are ready.
func (w *world) start() {
	w.T.Helper()
	w.startDocument()
	w.startAnnotation()
	w.startConversion(jobrun.All)
	w.startInsight(jobrun.All)
}

// load reads the configuration of a part from variables. The results of the tests do not
// depend on what is installed on the machine.
func (w *world) load(prefix string, target any, environ ...string) {
	w.T.Helper()
	if err := config.Load(environ, prefix, target); err != nil {
		w.T.Fatal(err)
	}
}

func (w *world) startDocument() {
	var cfg document.Config
	w.load("DOCUMENT_", &cfg, "DOCUMENT_DATABASE="+w.at("document"), "DOCUMENT_SEAL_EVERY=1h", "DOCUMENT_PURGE_EVERY=50ms", "DOCUMENT_PURGE_AFTER=0s")
	w.services["document"] = w.StartReady("document", func(ctx context.Context, deps runner.Deps) error { return document.Run(ctx, cfg, deps) })
}

func (w *world) startAnnotation() {
	var cfg annotation.Config
	w.load("ANNOTATION_", &cfg, "ANNOTATION_DATABASE="+w.at("annotation"), "ANNOTATION_PDF_CACHE="+pdftest.Compiled())
	w.services["annotation"] = w.StartReady("annotation", func(ctx context.Context, deps runner.Deps) error { return annotation.Run(ctx, cfg, deps) })
}

// startConversion starts the conversion service. It converts only what needs no LibreOffice.
func (w *world) startConversion(role jobrun.Role) {
	var cfg conversion.Config
	w.load("CONVERSION_", &cfg, "CONVERSION_DATABASE="+w.at("conversion"), "CONVERSION_PDF_CACHE="+pdftest.Compiled(), "CONVERSION_ZYGOTE=off", "CONVERSION_WORKERS=1")
	cfg.Role = role
	w.services["conversion"] = w.StartReady("conversion", func(ctx context.Context, deps runner.Deps) error { return conversion.Run(ctx, cfg, deps) })
}

func (w *world) startInsight(role jobrun.Role) {
	var cfg insight.Config
	w.load("INSIGHT_", &cfg, "INSIGHT_DATABASE="+w.at("insight"), "INSIGHT_PDF_CACHE="+pdftest.Compiled(), "INSIGHT_WORKERS=1")
	cfg.Role = role
	w.services["insight"] = w.StartReady("insight", func(ctx context.Context, deps runner.Deps) error { return insight.Run(ctx, cfg, deps) })
}

// peppers are the secrets for the API keys of every recording.
const peppers = "1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

// startGateway starts the gateway behind a proxy, which the tests act as.
func (w *world) startGateway() {
	w.T.Helper()
	var cfg gateway.Config
	w.load("GATEWAY_", &cfg, "GATEWAY_DATABASE="+w.at("gateway"), "GATEWAY_IDEMPOTENCY_DATABASE="+w.at("idempotency"), "GATEWAY_KEY_PEPPERS="+peppers,
		"GATEWAY_TLS=proxy", "GATEWAY_TRUSTED_PROXIES=127.0.0.0/8", "GATEWAY_DRAIN_DELAY=0s")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.T.Fatal(err)
	}
	w.url = "http://" + ln.Addr().String()
	w.services["gateway"] = w.StartReady("gateway", func(ctx context.Context, deps runner.Deps) error {
		return gateway.Run(ctx, cfg, gateway.Deps{Telemetry: deps.Telemetry, Bus: deps.Bus, Listener: ln})
	})
}

// createKey creates an API key with its organization and user, and returns its secret.
func (w *world) createKey() string {
	w.T.Helper()
	load := func() (gateway.IdentityConfig, error) {
		return gateway.IdentityConfig{Database: w.at("gateway"), Peppers: peppers}, nil
	}
	keys := gateway.Commands(load, func() (string, error) { return w.url, nil }, nil)[0]
	var out bytes.Buffer
	keys.SetOut(&out)
	keys.SetArgs([]string{"create", "--organization", "Acme", "--email", "zoe@acme.example", "--name", "Zoë Ünal", "--test", "--json"})
	var created struct {
		APIKey string `json:"api_key"`
	}
	err := keys.ExecuteContext(patience.Context(w.T))
	if err == nil {
		err = json.Unmarshal(out.Bytes(), &created)
	}
	if err != nil {
		w.T.Fatalf("create a key: %v\n%s", err, out.String())
	}
	return created.APIKey
}

// stop stops the services, so that their databases are complete.
func (w *world) stop(names ...string) {
	w.T.Helper()
	for _, name := range names {
		if err := w.services[name].Stop(); err != nil {
			w.T.Fatal(err)
		}
		delete(w.services, name)
	}
}
