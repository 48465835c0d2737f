package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rectohq/recto/libs/config"
)

// Config says which URLs may be fetched, and within which limits.
type Config struct {
	Allow    []string      `env:"INSIGHT_URL_ALLOW" desc:"networks that URLs may lead to in addition to public addresses, on any port; comma-separated, such as 10.0.0.0/8"`
	HTTP     bool          `env:"INSIGHT_URL_HTTP" desc:"allow http:// URLs as well as https://; without TLS, the server's identity cannot be verified"`
	Ports    []string      `env:"INSIGHT_URL_PORTS" desc:"ports that URLs may use in addition to 443, and to 80 with INSIGHT_URL_HTTP; comma-separated"`
	MaxBytes int64         `env:"INSIGHT_URL_MAX_BYTES" envDefault:"26214400" desc:"maximum size of a document fetched by URL, in bytes, after decompression"`
	Timeout  time.Duration `env:"INSIGHT_URL_TIMEOUT" envDefault:"30s" desc:"maximum time to fetch a document by URL, including redirects"`
	CAFile   string        `env:"INSIGHT_URL_CA_FILE" desc:"path of a PEM file with certificate authorities to trust for URLs, in addition to those of the system"`
}

// Validate implements config.Validator.
func (c Config) Validate() []error {
	_, problems := c.rules()
	return problems
}

// rules holds the parsed values of a Config.
type rules struct {
	networks []netip.Prefix
	ports    []uint16
	tls      *tls.Config
}

// rules parses c and returns its problems.
func (c Config) rules() (r rules, p config.Problems) {
	var err error
	r.networks, err = c.networks()
	p.Require(err == nil, "INSIGHT_URL_ALLOW: %v", err)
	r.ports, err = c.ports()
	p.Require(err == nil, "INSIGHT_URL_PORTS: %v", err)
	config.AtLeast(&p, "INSIGHT_URL_MAX_BYTES", c.MaxBytes, 1)
	p.Positive("INSIGHT_URL_TIMEOUT", c.Timeout)
	r.tls, err = c.tls()
	p.Require(err == nil, "INSIGHT_URL_CA_FILE: %v", err)
	return r, p
}

// networks returns the networks of Allow.
func (c Config) networks() ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range c.Allow {
		network, err := netip.ParsePrefix(strings.TrimSpace(text))
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", text)
		case network.Addr().Is4In6():
			return nil, fmt.Errorf("%q is an IPv4 network: write it without the ::ffff: prefix", text)
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// ports returns the ports that are allowed for every address.
func (c Config) ports() ([]uint16, error) {
	ports := []uint16{443}
	if c.HTTP {
		ports = append(ports, 80)
	}
	for _, text := range c.Ports {
		port, err := strconv.ParseUint(strings.TrimSpace(text), 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("%q is not a port from 1 to 65535", text)
		}
		ports = append(ports, uint16(port))
	}
	return ports, nil
}

// tls returns a configuration that trusts the authorities of CAFile in addition to those
// of the system.
func (c Config) tls() (*tls.Config, error) {
	if c.CAFile == "" {
		return &tls.Config{MinVersion: tls.VersionTLS12}, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the certificate authorities of the system: %w", err)
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, err
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no PEM certificate", c.CAFile)
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, nil
}
