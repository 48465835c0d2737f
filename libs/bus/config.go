package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Config configures a process's connection to NATS.
type Config struct {
	URL         string        `env:"NATS_URL" envDefault:"nats://127.0.0.1:4222" desc:"NATS servers, separated by commas; tls:// requires TLS"`
	User        string        `env:"NATS_USER" desc:"NATS user; deploy/nats defines one for each service"`
	Password    string        `env:"NATS_PASSWORD" secret:"true" desc:"password of NATS_USER"`
	Credentials string        `env:"NATS_CREDENTIALS" desc:"path of a NATS credentials file, instead of a user and password"`
	CAFile      string        `env:"NATS_CA_FILE" desc:"path of the CA certificate that verifies the NATS servers, instead of the system's CAs; requires TLS"`
	CertFile    string        `env:"NATS_CERT_FILE" desc:"path of the client certificate for NATS; requires TLS"`
	KeyFile     string        `env:"NATS_KEY_FILE" desc:"path of the private key for NATS_CERT_FILE"`
	ClaimBytes  int64         `env:"NATS_CLAIM_BYTES" envDefault:"1073741824" desc:"maximum bytes of large payloads held in NATS memory; requests beyond it fail with 5003"`
	ClaimTTL    time.Duration `env:"NATS_CLAIM_TTL" envDefault:"5m" desc:"how long NATS keeps a large payload in memory"`
	EventTTL    time.Duration `env:"NATS_EVENT_TTL" envDefault:"168h" desc:"how long events are kept"`
	Replicas    int           `env:"NATS_REPLICAS" envDefault:"1" desc:"replicas of JetStream data: 1, or 3 or 5 in a cluster with at least that many servers"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	_, problems := c.servers()
	problems = append(problems, c.validateIdentity()...)
	problems = append(problems, c.validateFiles()...)
	if c.ClaimBytes < claimChunk || c.ClaimTTL < minTTL || c.EventTTL < minTTL {
		problems = append(problems, fmt.Errorf("  NATS_CLAIM_BYTES must be at least %d, NATS_CLAIM_TTL and NATS_EVENT_TTL at least %s", claimChunk, minTTL))
	}
	if !slices.Contains([]int{1, 3, 5}, c.Replicas) {
		problems = append(problems, fmt.Errorf("  NATS_REPLICAS must be 1, 3 or 5, not %d", c.Replicas))
	}
	return problems
}

// minTTL is the shortest retention that a stream may have.
const minTTL = time.Second

// validateIdentity checks that at most one way to authenticate is configured.
func (c Config) validateIdentity() (problems []error) {
	if (c.User == "") != (c.Password == "") {
		problems = append(problems, errors.New("  NATS_USER and NATS_PASSWORD must be set together"))
	}
	ways := 0
	for _, set := range []bool{c.User != "" || c.Password != "", c.Credentials != "", strings.Contains(c.URL, "@")} {
		if set {
			ways++
		}
	}
	if ways > 1 {
		problems = append(problems, errors.New("  NATS_USER, NATS_CREDENTIALS and a user in NATS_URL are mutually exclusive: set only one of them"))
	}
	return problems
}

// validateFiles checks that the files are readable and have the expected content.
func (c Config) validateFiles() (problems []error) {
	if c.Credentials != "" {
		content, err := os.ReadFile(c.Credentials)
		if err == nil {
			_, err = nkeys.ParseDecoratedUserNKey(content)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("  NATS_CREDENTIALS: %w", err))
		}
	}
	if c.CAFile != "" {
		content, err := os.ReadFile(c.CAFile)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(content) {
			err = fmt.Errorf("%s contains no PEM certificate", c.CAFile)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("  NATS_CA_FILE: %w", err))
		}
	}
	if (c.CertFile == "") != (c.KeyFile == "") {
		problems = append(problems, errors.New("  NATS_CERT_FILE and NATS_KEY_FILE must be set together"))
	} else if c.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile); err != nil {
			problems = append(problems, fmt.Errorf("  NATS_CERT_FILE and NATS_KEY_FILE: %w", err))
		}
	}
	return problems
}

// servers parses NATS_URL. Problems show a server without its user info, which may
// contain a password.
func (c Config) servers() (servers []string, problems []error) {
	for text := range strings.SplitSeq(c.URL, ",") {
		server := strings.TrimSpace(text)
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		u, err := url.Parse(server)
		if err != nil || !isServer(u) {
			problems = append(problems, fmt.Errorf("  NATS_URL: %q is not a server; use nats://host:4222 or tls://host:4222, separated by commas", redact(text)))
			continue
		}
		servers = append(servers, server)
	}
	return servers, problems
}

// isServer reports whether u is the URL of a NATS server, with nothing besides scheme,
// user, host and port.
func isServer(u *url.URL) bool {
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return false
		}
	}
	return (u.Scheme == "nats" || u.Scheme == "tls") && u.Hostname() != "" && strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment == ""
}

// redact removes the user info from a server URL, even from one that cannot be parsed.
func redact(server string) string {
	scheme, rest, found := strings.Cut(server, "://")
	if !found {
		scheme, rest = "", server
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	if !found {
		return rest
	}
	return scheme + "://" + rest
}

// redacted returns NATS_URL in a form that is safe to show.
func (c Config) redacted() string {
	var servers []string
	for server := range strings.SplitSeq(c.URL, ",") {
		servers = append(servers, redact(strings.TrimSpace(server)))
	}
	return strings.Join(servers, ",")
}

// identity returns the options for authentication and trust. Files are read again for
// each connection, so they can be rotated.
func (c Config) identity() (options []nats.Option) {
	if c.User != "" {
		options = append(options, nats.UserInfo(c.User, c.Password))
	}
	if c.Credentials != "" {
		options = append(options, nats.UserCredentials(c.Credentials))
	}
	if c.CAFile != "" {
		options = append(options, nats.RootCAs(c.CAFile))
	}
	if c.CertFile != "" {
		options = append(options, nats.ClientCert(c.CertFile, c.KeyFile))
	}
	return options
}
