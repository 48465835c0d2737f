package listener

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// certificateAge is how long a certificate is used before its files are checked for
// changes.
const certificateAge = 10 * time.Second

// Certificate is a certificate and its key, loaded from files.
type Certificate struct {
	certFile, keyFile string
	loaded            func(expiry time.Time) // may be nil

	current atomic.Pointer[tls.Certificate]

	mu       sync.Mutex
	modified time.Time
	checked  time.Time
}

// NewCertificate returns the certificate in the files. It does not read them yet. Whenever
// it has read them, it calls loaded, unless that is nil.
func NewCertificate(certFile, keyFile string, loaded func(expiry time.Time)) *Certificate {
	return &Certificate{certFile: certFile, keyFile: keyFile, loaded: loaded}
}

// Issuer returns the common name of the authority that issued the certificate being
// served, and "" before TLSConfig has loaded one.
func (c *Certificate) Issuer() string {
	if current := c.current.Load(); current != nil {
		return current.Leaf.Issuer.CommonName
	}
	return ""
}

// TLSConfig loads the certificate, and returns a configuration that serves it. When the
// files change, it serves the new one within certificateAge.
func (c *Certificate) TLSConfig() (*tls.Config, error) {
	if _, err := c.get(nil); err != nil {
		return nil, err
	}
	return &tls.Config{GetCertificate: c.get, MinVersion: tls.VersionTLS12}, nil
}

// get implements tls.Config.GetCertificate. It reloads the files when they have changed,
// because certificates are renewed while the program runs and a restart would drop
// connections.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) < certificateAge {
		return c.current.Load(), nil
	}
	err := c.reload()
	if err != nil && c.current.Load() == nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	// If the files cannot be loaded, for example because they are half written, keep the
	// current certificate and check again later.
	c.checked = time.Now()
	return c.current.Load(), nil
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
	c.current.Store(&loaded)
	c.modified = info.ModTime()
	if c.loaded != nil {
		c.loaded(loaded.Leaf.NotAfter)
	}
	return nil
}
