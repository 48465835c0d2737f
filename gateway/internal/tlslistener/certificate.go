package tlslistener

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rectohq/recto/libs/contract/gatewayapi"
)

// certificateAge is how long a certificate is used without a look at its files:
// they are renewed under the running program.
const certificateAge = 10 * time.Second

// Certificate is a certificate and its key in files.
type Certificate struct {
	certFile, keyFile string

	// local is set while the certificate is one of our own authority.
	local atomic.Bool

	mu       sync.Mutex
	current  *tls.Certificate
	modified time.Time
	checked  time.Time
}

// NewCertificate returns the certificate of the files, which are not read yet.
func NewCertificate(certFile, keyFile string) *Certificate {
	return &Certificate{certFile: certFile, keyFile: keyFile}
}

// Local reports whether the certificate that is served is one of our own authority.
func (c *Certificate) Local() bool { return c.local.Load() }

// tlsConfig returns a configuration that serves the certificate in the files,
// the renewed one soon after they change.
func (c *Certificate) tlsConfig() (*tls.Config, error) {
	if _, err := c.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// get implements the GetCertificate of a tls.Config: the certificate of the
// files, read again when they have changed. Certificates are renewed while the
// gateway runs, and a restart for that would drop connections.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateAge {
		return c.current, nil
	}
	err := c.reload()
	if err != nil && c.current == nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	// Files half written are no reason to stop: they are looked at again.
	c.checked = time.Now()
	return c.current, nil
}

// reload reads the files if they have changed since they were read.
func (c *Certificate) reload() error {
	info, err := os.Stat(c.certFile)
	if err != nil {
		return err
	}
	if info.ModTime().Equal(c.modified) {
		return nil
	}
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.current, c.modified = &loaded, info.ModTime()
	c.local.Store(loaded.Leaf.Issuer.CommonName == gatewayapi.LocalAuthority)
	return nil
}
