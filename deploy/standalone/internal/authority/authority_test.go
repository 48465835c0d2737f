package authority_test

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"testing"
	"time"

	"github.com/rectohq/recto/deploy/standalone/internal/authority"
)

func read(t *testing.T, path string) *x509.Certificate {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(content)
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ensure(t *testing.T, dir string, now time.Time, hosts ...string) (ca, cert *x509.Certificate, made bool) {
	t.Helper()
	f, made, err := authority.Ensure(dir, hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, f.CA), read(t, f.Certificate), made
}

func TestEnsure(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	ca, cert, made := ensure(t, dir, now, "localhost", "127.0.0.1", "::1")
	if !made {
		t.Error("the first authority is not reported as created")
	}
	roots, err := authority.Roots(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: now}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: "example.com"}); err == nil {
		t.Error("the certificate is valid for a host that was not requested")
	}
	// Strict clients require key identifiers and key usages.
	if !ca.IsCA || ca.KeyUsage&x509.KeyUsageCertSign == 0 || len(ca.SubjectKeyId) == 0 || string(cert.AuthorityKeyId) != string(ca.SubjectKeyId) ||
		len(cert.ExtKeyUsage) != 1 || cert.IsCA || cert.NotAfter.Sub(cert.NotBefore) > 398*24*time.Hour {
		t.Errorf("authority %+v, certificate %+v", ca, cert)
	}

	for name, step := range map[string]struct {
		later   time.Duration
		hosts   []string
		renewed bool
	}{
		"the same": {0, []string{"localhost", "127.0.0.1"}, false}, "a while later": {300 * 24 * time.Hour, []string{"localhost"}, false},
	} {
		sameCA, again, made := ensure(t, dir, now.Add(step.later), step.hosts...)
		if made || !sameCA.Equal(ca) || again.Equal(cert) == step.renewed {
			t.Errorf("%s: made %v, renewed %v", name, made, !again.Equal(cert))
		}
	}
	sameCA, wider, made := ensure(t, dir, now, "localhost", "recto.example")
	if made || !sameCA.Equal(ca) || wider.VerifyHostname("recto.example") != nil {
		t.Error("an additional host does not lead to a new certificate of the same authority")
	}
	sameCA, renewed, made := ensure(t, dir, now.Add(380*24*time.Hour), "localhost")
	if made || !sameCA.Equal(ca) || renewed.Equal(wider) {
		t.Error("a certificate close to expiry is not replaced")
	}
}

func TestDamagedFiles(t *testing.T) {
	now := time.Now()
	for _, damage := range []string{"ca.pem", "ca-key.pem"} {
		dir := t.TempDir()
		ensure(t, dir, now, "localhost")
		if err := os.WriteFile(dir+"/"+damage, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := authority.Ensure(dir, []string{"localhost"}, now); err == nil {
			t.Errorf("a damaged %s is not reported: clients would not trust a new authority", damage)
		}
	}
	dir := t.TempDir()
	_, cert, _ := ensure(t, dir, now, "localhost")
	if err := os.WriteFile(dir+"/server.pem", []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, again, made := ensure(t, dir, now, "localhost"); made || again.Equal(cert) {
		t.Error("a damaged certificate is not replaced")
	}
	other := t.TempDir()
	ensure(t, other, now, "localhost")
	key, err := os.ReadFile(other + "/ca-key.pem")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/ca-key.pem", key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := authority.Ensure(dir, []string{"localhost"}, now); err == nil {
		t.Error("the key of another authority is not reported")
	}
}
