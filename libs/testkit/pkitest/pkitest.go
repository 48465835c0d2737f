// Package pkitest creates certificates for tests: an authority, and certificates that
// it signs for servers and clients on this machine or in its containers.
package pkitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// lifetime is how long certificates are valid: longer than RectoCertificateExpires demands.
const lifetime = 30 * 24 * time.Hour

// Authority signs the certificates of a test.
type Authority struct {
	// File is the path of its own certificate.
	File string

	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New returns a new authority that stores its files in dir.
func New(dir string) (*Authority, error) { return Named(dir, "Recto test authority") }

// Named is like New, for an authority with that common name.
func Named(dir, commonName string) (*Authority, error) {
	a := &Authority{dir: dir}
	var err error
	a.File, _, err = a.sign("ca", &x509.Certificate{
		Subject: pkix.Name{CommonName: commonName}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	})
	return a, err
}

// Issue creates a certificate that is valid for a server on the hosts (names or
// addresses) and for a client. It returns the paths of the certificate and its key,
// name.pem and name-key.pem.
func (a *Authority) Issue(name string, hosts ...string) (certificate, key string, err error) {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return a.sign(name, template)
}

// sign creates a certificate. The first one is self-signed and becomes the authority's.
func (a *Authority) sign(name string, template *x509.Certificate) (certificate, key string, err error) {
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	if a.cert == nil {
		a.cert, a.key = template, own
	}
	now := time.Now()
	template.SerialNumber, template.NotBefore, template.NotAfter = big.NewInt(now.UnixNano()), now.Add(-time.Hour), now.Add(lifetime)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, own.Public(), a.key)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(own)
	if err != nil {
		return "", "", err
	}
	certificate, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+"-key.pem")
	for path, block := range map[string]*pem.Block{certificate: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		// World-readable, because containers that run as another user read them.
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o644); err != nil {
			return "", "", err
		}
	}
	return certificate, key, nil
}
