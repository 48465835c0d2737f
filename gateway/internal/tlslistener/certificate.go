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

// certificateAge is how long a certificate is used before its files are checked for
// changes.
const certificateAge = 10 * time.Second

// Certificate is a certificate and its key, loaded from files.
type Certificate struct {
	certFile, keyFile string

	// local is set if Recto's own local authority issued the certificate.
	local atomic.Bool

	mu       sync.Mutex
	current  *tls.Certificate
	modified time.Time
	checked  time.Time
}

// NewCertificate returns the certificate in the files. It does not read them yet.
func NewCertificate(certFile, keyFile string) *Certificate {
	return &Certificate{certFile: certFile, keyFile: keyFile}
}

// Local reports whether Recto's own local authority issued the certificate being served.
func (c *Certificate) Local() bool { return c.local.Load() }

// tlsConfig returns a configuration that serves the certificate in the files. When they
// change, it soon serves the new one.
func (c *Certificate) tlsConfig() (*tls.Config, error) {
	if _, err := c.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// get implements tls.Config.GetCertificate. It reloads the files when they have changed,
// because certificates are renewed while the gateway runs and a restart would drop
// connections.
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
	// If the files cannot be loaded, for example because they are half written, keep the
	// current certificate and check again later.
	c.checked = time.Now()
	return c.current, nil
}

// reload loads the files if they have changed since they were last loaded.
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
