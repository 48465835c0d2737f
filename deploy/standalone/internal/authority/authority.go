// Package authority is the certificate authority of a standalone Recto. It is created at
// the first start and kept in the data folder. Clients trust it, and it signs the
// certificate that the program serves.
package authority

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rectohq/recto/libs/contract/gatewayapi"
)

// Files are the paths of an authority and of the certificate that it signed, all in PEM.
type Files struct {
	CA, caKey        string
	Certificate, Key string
}

// Name is the common name of every authority that this package creates.
const Name = gatewayapi.LocalAuthority

// caName is the file of the authority's certificate.
const caName = "ca.pem"

const (
	caLifetime = 10 * 365 * 24 * time.Hour
	// lifetime is the longest that Apple's systems accept.
	lifetime = 397 * 24 * time.Hour
	// renewBefore is how long before its expiry a certificate is replaced.
	renewBefore = 30 * 24 * time.Hour
	// skew is how far a client's clock may be behind.
	skew = time.Hour
)

// Ensure creates in dir whatever is missing: an authority, and a certificate for the
// hosts, which are names or addresses. It replaces a certificate that lacks a host or is
// close to expiry. It reports whether it created the authority.
func Ensure(dir string, hosts []string, now time.Time) (f Files, made bool, err error) {
	f = Files{
		CA: filepath.Join(dir, caName), caKey: filepath.Join(dir, "ca-key.pem"),
		Certificate: filepath.Join(dir, "server.pem"), Key: filepath.Join(dir, "server-key.pem"),
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return f, false, err
	}
	ca, caKey, err := load(f.CA, f.caKey)
	if errors.Is(err, fs.ErrNotExist) {
		made = true
		ca, caKey, err = makeCA(f, now)
	}
	if err != nil {
		return f, made, fmt.Errorf("the certificate authority in %s: %w", dir, err)
	}
	current, _, err := load(f.Certificate, f.Key)
	if err == nil && covers(current, ca, hosts, now) {
		return f, made, nil
	}
	if err := makeCertificate(f, ca, caKey, hosts, now); err != nil {
		return f, made, fmt.Errorf("the certificate in %s: %w", dir, err)
	}
	return f, made, nil
}

// Roots returns the authority in dir as a pool of roots for clients.
func Roots(dir string) (*x509.CertPool, error) {
	der, err := readPEM(filepath.Join(dir, caName))
	if err != nil {
		return nil, err
	}
	ca, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority in %s: %w", dir, err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	return roots, nil
}

// covers reports whether the certificate is signed by ca, is valid for all hosts, and is
// not close to expiry.
func covers(c, ca *x509.Certificate, hosts []string, now time.Time) bool {
	return c.CheckSignatureFrom(ca) == nil && now.Add(renewBefore).Before(c.NotAfter) &&
		!slices.ContainsFunc(hosts, func(host string) bool { return c.VerifyHostname(host) != nil })
}

// makeCA creates a certificate authority and writes it and its key. It may not sign
// further authorities.
func makeCA(f Files, now time.Time) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: Name, Organization: []string{"Recto"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(caLifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	return sign(f.CA, f.caKey, template, nil, nil)
}

// makeCertificate creates a server certificate for the hosts, which are names and IP
// addresses, and writes it and its key. Clients check only the subject alternative names;
// the common name is for people.
func makeCertificate(f Files, ca *x509.Certificate, caKey *ecdsa.PrivateKey, hosts []string, now time.Time) error {
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: hosts[0], Organization: []string{"Recto"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(lifetime),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	_, _, err := sign(f.Certificate, f.Key, template, ca, caKey)
	return err
}

// sign creates a key and a certificate for it, and writes both. The parent signs the
// certificate; without a parent, it is self-signed.
func sign(certFile, keyFile string, template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return cert, key, errors.Join(err, writePEM(keyFile, "PRIVATE KEY", keyDER, 0o600), writePEM(certFile, "CERTIFICATE", der, 0o644))
}

// writePEM writes a file atomically: it is either complete or missing.
func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	var out bytes.Buffer
	if err := pem.Encode(&out, &pem.Block{Type: kind, Bytes: der}); err != nil {
		return err
	}
	temporary := path + ".new"
	if err := os.WriteFile(temporary, out.Bytes(), mode); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// load reads a certificate and its key, and checks that they belong together: a crash may
// have written only one of the pair.
func load(certFile, keyFile string) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	certDER, err := readPEM(certFile)
	if err != nil {
		return nil, nil, err
	}
	keyDER, err := readPEM(keyFile)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(certDER)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", certFile, err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(keyDER)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, nil, fmt.Errorf("%s is not the key of %s", keyFile, certFile)
	}
	return cert, key, nil
}

// readPEM returns the bytes of the first PEM block of a file.
func readPEM(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("%s is not a PEM file", path)
	}
	return block.Bytes, nil
}
