// Package standalone runs all of Recto in one process: the gateway and the services as
// they are deployed, over embedded engines: NATS, an S3 server over a folder, and SQLite.
package standalone

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/engines/objectserver"
	"github.com/rectohq/recto/libs/runner"
	"github.com/rectohq/recto/services/annotation"
	"github.com/rectohq/recto/services/conversion"
	"github.com/rectohq/recto/services/document"
	"github.com/rectohq/recto/services/insight"
)

// Flags are the flags of recto up.
type Flags struct {
	Data             string
	Addr             string
	ObjectsAddr      string
	MetricsAddr      string
	Rate             string
	PublicURL        string
	ObjectsPublicURL string
	CORSOrigins      string
}

// Config is the configuration of all parts.
type Config struct {
	Process    runner.Config
	Blobs      blob.Config
	Objects    objectserver.Limits
	Gateway    gateway.Config
	Document   document.Config
	Conversion conversion.Config
	Annotation annotation.Config
	Insight    insight.Config
}

// prefixes are those of the services and of the object store. A variable that begins with
// one of them belongs to that part.
const prefixes = "GATEWAY_ OBJECTS_ DOCUMENT_ CONVERSION_ ANNOTATION_ INSIGHT_"

// loadConfig returns the configuration from the environment, completed by the variables
// that the standalone program sets itself.
func loadConfig(dir datadir.Dir, f Flags, files authority.Files, secrets datadir.Secrets) (Config, error) {
	var cfg Config
	fixed := config.Fixed{Program: "recto up", Variables: decided(dir, f, files, secrets), Instead: instead(), Unlisted: unlisted()}
	environ := slices.Concat(defaults(), os.Environ())
	if f.CORSOrigins != "" {
		environ = append(environ, "GATEWAY_CORS_ORIGINS="+f.CORSOrigins)
	}
	err := config.LoadFixed(environ, prefixes, fixed, &cfg)
	// An empty variable means its default, which would serve metrics to the network.
	cfg.Process.Telemetry.MetricsAddr = f.MetricsAddr
	return cfg, err
}

// defaults are the variables whose defaults differ from those of a deployment. The person
// at the terminal reads the program's own output and should not have to wait: the store
// is local, there is no load balancer, and there is one worker process, whose end the
// program notices.
func defaults() []string {
	return []string{
		"LOG_LEVEL=WARN", "DOCUMENT_SEAL_EVERY=200ms", "GATEWAY_DRAIN_DELAY=0s",
		"CONVERSION_ACK_WAIT=5s", "ANNOTATION_ACK_WAIT=5s", "INSIGHT_ACK_WAIT=5s",
	}
}

// decided are the variables that the program sets itself and that the environment cannot
// override.
func decided(dir datadir.Dir, f Flags, files authority.Files, secrets datadir.Secrets) []string {
	return []string{
		"METRICS_ADDR=" + f.MetricsAddr,
		"GATEWAY_ADDR=" + f.Addr,
		"GATEWAY_PUBLIC_URL=" + f.PublicURL,
		"GATEWAY_TLS=self",
		"GATEWAY_TLS_CERT_FILE=" + files.Certificate,
		"GATEWAY_TLS_KEY_FILE=" + files.Key,
		"GATEWAY_DATABASE=" + dir.GatewayDatabase(),
		"GATEWAY_KEY_PEPPERS=" + secrets.Peppers,
		"GATEWAY_IDEMPOTENCY_DATABASE=" + dir.IdempotencyDatabase(),
		"DOCUMENT_DATABASE=" + dir.DocumentDatabase(),
		"DOCUMENT_CORS_ORIGINS=", // the embedded object server follows GATEWAY_CORS_ORIGINS and needs no bucket rule
		"CONVERSION_DATABASE=" + dir.ConversionDatabase(),
		"CONVERSION_ROLE=all",
		"ANNOTATION_DATABASE=" + dir.AnnotationDatabase(),
		"INSIGHT_DATABASE=" + dir.InsightDatabase(),
		"INSIGHT_ROLE=all",
		"CONVERSION_PDF_CACHE=" + dir.PDFCache(),
		"ANNOTATION_PDF_CACHE=" + dir.PDFCache(),
		"INSIGHT_PDF_CACHE=" + dir.PDFCache(),
		"S3_ENDPOINT=https://" + runner.Reachable(f.ObjectsAddr),
		"S3_PUBLIC_ENDPOINT=" + f.ObjectsPublicURL,
		"S3_ACCESS_KEY=" + secrets.ObjectAccessKey,
		"S3_SECRET_KEY=" + secrets.ObjectSecretKey,
		"S3_CA_FILE=" + files.CA,
		"GATEWAY_OBJECTS_CA_FILE=" + files.CA,
		"S3_PATH_STYLE=true",
		"S3_LOCAL_DIR=" + objectserver.Buckets(dir.Objects()),
	}
}

// instead names what to use in place of variables that the program sets itself.
func instead() map[string]string {
	return map[string]string{
		"GATEWAY_ADDR": "--addr", "GATEWAY_PUBLIC_URL": "--public-url", "DOCUMENT_CORS_ORIGINS": "GATEWAY_CORS_ORIGINS",
	}
}

// complete fills in what follows from the other flags: the public URLs, and a free port
// in place of port 0.
func (f *Flags) complete(apiAddr net.Addr) error {
	f.Addr = apiAddr.String()
	if err := pickPort(&f.ObjectsAddr); err != nil {
		return listenError("--objects-addr", f.ObjectsAddr, err)
	}
	for flag, target := range map[string]struct {
		value *string
		addr  string
	}{
		"--public-url":         {&f.PublicURL, f.Addr},
		"--objects-public-url": {&f.ObjectsPublicURL, f.ObjectsAddr},
	} {
		if *target.value == "" {
			*target.value = "https://" + runner.Reachable(target.addr)
		}
		u, err := url.Parse(*target.value)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" {
			return runner.Usage(fmt.Errorf("%s must be https:// and a host, such as https://recto.example.com or https://10.1.2.3:8443: %q", flag, *target.value))
		}
	}
	return nil
}

// pickPort replaces port 0 with a free port.
func pickPort(addr *string) error {
	ln, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	*addr = ln.Addr().String()
	return ln.Close()
}

// hosts returns the names and addresses that the certificate must be valid for.
func (f *Flags) hosts() ([]string, error) {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	for _, u := range []string{f.PublicURL, f.ObjectsPublicURL} {
		parsed, err := url.Parse(u)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, parsed.Hostname())
	}
	for _, addr := range []string{f.Addr, f.ObjectsAddr} {
		host, _, err := net.SplitHostPort(runner.Reachable(addr))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the address %q is not host:port", addr), err)
		}
		hosts = append(hosts, host)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), nil
}
