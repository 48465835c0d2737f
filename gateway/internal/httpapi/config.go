package httpapi

import (
	"crypto/tls"
	"time"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/libs/cors"
)

// Config configures how the API is served.
type Config struct {
	PublicURL       string        `env:"GATEWAY_PUBLIC_URL" envDefault:"https://127.0.0.1:8443" desc:"URL of the API as clients use it, without /v2"`
	DocsURL         string        `env:"GATEWAY_DOCS_URL" desc:"URL of the pages that explain errors. If not set, GATEWAY_PUBLIC_URL/docs, which the gateway serves"`
	TLS             string        `env:"GATEWAY_TLS" envDefault:"self" desc:"self: serve TLS with GATEWAY_TLS_CERT_FILE; proxy: a proxy in GATEWAY_TRUSTED_PROXIES terminates TLS and sends X-Forwarded-Proto"`
	CertFile        string        `env:"GATEWAY_TLS_CERT_FILE" desc:"path of the certificate chain in PEM; a renewed certificate is loaded automatically"`
	KeyFile         string        `env:"GATEWAY_TLS_KEY_FILE" desc:"path of the certificate's key in PEM"`
	TrustedProxies  []string      `env:"GATEWAY_TRUSTED_PROXIES" desc:"networks of the proxies that terminate TLS, such as 10.0.0.0/8, separated by commas"`
	HSTS            time.Duration `env:"GATEWAY_HSTS" envDefault:"8760h" desc:"max-age of the Strict-Transport-Security header: how long browsers use only HTTPS for the host of GATEWAY_PUBLIC_URL; 0s makes them forget it. Not sent for localhost, an IP address, or a certificate of Recto's own local authority"`
	CORSOrigins     cors.Origins  `env:"GATEWAY_CORS_ORIGINS" desc:"origins whose web pages may call the API from a browser, such as https://app.example.com, separated by commas; * for every origin. If not set, none. recto up --cors-origins sets it"`
	MaxBody         int64         `env:"GATEWAY_MAX_BODY" envDefault:"67108864" desc:"maximum size of a request body in bytes; larger bodies get error 3004"`
	MaxAnnotateBody int64         `env:"GATEWAY_MAX_ANNOTATE_BODY" envDefault:"134217728" desc:"maximum size of the body of an annotate request in bytes"`
	MaxUpload       int64         `env:"GATEWAY_MAX_UPLOAD" envDefault:"2147483648" desc:"maximum size in bytes of a multipart body that creates a document: all files together"`
	ObjectsCAFile   string        `env:"GATEWAY_OBJECTS_CA_FILE" desc:"path of a certificate authority to trust for the object store, in addition to those of the system. The gateway uploads the files of multipart bodies there, with presigned URLs of the document service"`
	BodyMemory      int64         `env:"GATEWAY_BODY_MEMORY" envDefault:"536870912" desc:"memory for all request bodies together in bytes; requests beyond it get error 5003"`
	Budget          time.Duration `env:"GATEWAY_BUDGET" envDefault:"30s" desc:"timeout for the response of a service; then error 5004"`
	LongBudget      time.Duration `env:"GATEWAY_LONG_BUDGET" envDefault:"60s" desc:"timeout for the response of convert, annotate and insights"`
	StreamBudget    time.Duration `env:"GATEWAY_STREAM_BUDGET" envDefault:"15m" desc:"maximum duration of a stream of insights; then error 5004"`
	MaxStreams      int           `env:"GATEWAY_MAX_STREAMS" envDefault:"2048" desc:"maximum number of open streams of insights; further requests get error 5003"`
	StreamMemory    int64         `env:"GATEWAY_STREAM_MEMORY" envDefault:"268435456" desc:"memory in bytes for the final results of all streams of insights together; streams beyond it wait"`
	ReadTimeout     time.Duration `env:"GATEWAY_READ_TIMEOUT" envDefault:"10s" desc:"timeout for the headers of a request, and for each pause in its body. A whole body has twice this time, and a second more for each 32 KiB that has arrived"`
	WriteTimeout    time.Duration `env:"GATEWAY_WRITE_TIMEOUT" envDefault:"2m" desc:"timeout for sending the response to a client"`
	IdleTimeout     time.Duration `env:"GATEWAY_IDLE_TIMEOUT" envDefault:"2m" desc:"how long an idle connection is kept open"`
	MaxConnections  int           `env:"GATEWAY_MAX_CONNECTIONS" envDefault:"16384" desc:"maximum number of open connections, lowered if the limit on open files is too low. At the maximum, a new connection replaces the one that has been idle longest"`
	PerAddress      int           `env:"GATEWAY_CONNECTIONS_PER_ADDRESS" envDefault:"0" desc:"maximum number of open connections from one address; 0: no limit. Loopback and GATEWAY_TRUSTED_PROXIES are exempt"`
	FailedKeys      int           `env:"GATEWAY_FAILED_KEYS" envDefault:"600" desc:"maximum number of invalid keys per minute from one address; further ones get error 2003"`
	SessionLifetime time.Duration `env:"GATEWAY_SESSION_LIFETIME" envDefault:"12h" desc:"how long a person stays signed in to the console, at least 1m; the session also ends with its API key"`
	DrainDelay      time.Duration `env:"GATEWAY_DRAIN_DELAY" envDefault:"5s" desc:"on shutdown, how long the gateway reports not ready before it closes its listener, so that load balancers notice; connections used in that time are closed after their response"`
	Grace           time.Duration `env:"GATEWAY_SHUTDOWN_GRACE" envDefault:"70s" desc:"how long shutdown waits for requests in progress"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	var p config.Problems
	p.Origin("GATEWAY_PUBLIC_URL", c.PublicURL, "https")
	p.URL("GATEWAY_DOCS_URL", c.DocsURL, "https", "http")
	p = append(p, c.validateTLS()...)
	config.AtLeast(&p, "GATEWAY_HSTS", c.HSTS, 0)
	c.CORSOrigins.Check(&p, "GATEWAY_CORS_ORIGINS")
	config.AtLeast(&p, "GATEWAY_MAX_BODY", c.MaxBody, 1)
	config.AtLeast(&p, "GATEWAY_MAX_ANNOTATE_BODY", c.MaxAnnotateBody, 1)
	config.AtLeast(&p, "GATEWAY_MAX_UPLOAD", c.MaxUpload, 1)
	_, err := blob.TLS(c.ObjectsCAFile)
	p.Require(err == nil, "GATEWAY_OBJECTS_CA_FILE: %v", err)
	p.Require(c.BodyMemory >= max(c.MaxBody, c.MaxAnnotateBody), "GATEWAY_BODY_MEMORY must be at least GATEWAY_MAX_BODY and GATEWAY_MAX_ANNOTATE_BODY")
	p.Positive("GATEWAY_BUDGET", c.Budget)
	p.Positive("GATEWAY_LONG_BUDGET", c.LongBudget)
	p.Positive("GATEWAY_STREAM_BUDGET", c.StreamBudget)
	config.AtLeast(&p, "GATEWAY_MAX_STREAMS", c.MaxStreams, 1)
	config.AtLeast(&p, "GATEWAY_STREAM_MEMORY", c.StreamMemory, 1)
	p.Positive("GATEWAY_READ_TIMEOUT", c.ReadTimeout)
	p.Positive("GATEWAY_WRITE_TIMEOUT", c.WriteTimeout)
	p.Positive("GATEWAY_IDLE_TIMEOUT", c.IdleTimeout)
	config.AtLeast(&p, "GATEWAY_MAX_CONNECTIONS", c.MaxConnections, 1)
	config.AtLeast(&p, "GATEWAY_CONNECTIONS_PER_ADDRESS", c.PerAddress, 0)
	config.AtLeast(&p, "GATEWAY_FAILED_KEYS", c.FailedKeys, 1)
	config.AtLeast(&p, "GATEWAY_SESSION_LIFETIME", c.SessionLifetime, time.Minute)
	config.AtLeast(&p, "GATEWAY_DRAIN_DELAY", c.DrainDelay, 0)
	p.Positive("GATEWAY_SHUTDOWN_GRACE", c.Grace)
	return p
}

// validateTLS returns the problems of the TLS configuration.
func (c Config) validateTLS() []error {
	var p config.Problems
	p.Require(c.TLS == "self" || c.behindProxy(), `GATEWAY_TLS must be "self" or "proxy"`)
	switch {
	case c.TLS == "self" && (c.CertFile == "" || c.KeyFile == ""):
		p.Require(false, "GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE must be set: the API is served over HTTPS only")
	case c.TLS == "self":
		_, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		p.Require(err == nil, "GATEWAY_TLS_CERT_FILE, GATEWAY_TLS_KEY_FILE: %v", err)
	}
	p.Require(!c.behindProxy() || len(c.TrustedProxies) > 0, "GATEWAY_TRUSTED_PROXIES must name the networks of the proxies")
	p.Networks("GATEWAY_TRUSTED_PROXIES", c.TrustedProxies)
	return p
}

// behindProxy reports whether a proxy terminates TLS.
func (c Config) behindProxy() bool { return c.TLS == "proxy" }
