package listener_test

import (
	"crypto/tls"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rectohq/recto/libs/listener"
	"github.com/rectohq/recto/libs/testkit/pkitest"
)

// TestCertificate replaces the files of a certificate. The new one is served soon, and the
// old one while the new files do not match.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	issue := func(authority string) (certFile, keyFile string) {
		pki, err := pkitest.Named(dir, authority)
		if err == nil {
			certFile, keyFile, err = pki.Issue("server", "localhost")
		}
		if err != nil {
			t.Fatal(err)
		}
		return certFile, keyFile
	}
	certFile, keyFile := issue("first")
	var loaded []time.Time
	c := listener.NewCertificate(certFile, keyFile, func(expiry time.Time) { loaded = append(loaded, expiry) })
	if got := c.Issuer(); got != "" {
		t.Errorf("before it is loaded, the issuer is %q", got)
	}
	synctest.Test(t, func(t *testing.T) {
		config, err := c.TLSConfig()
		if err != nil {
			t.Fatal(err)
		}
		served := func(want string) {
			t.Helper()
			got, err := config.GetCertificate(&tls.ClientHelloInfo{})
			if err != nil || got.Leaf.Issuer.CommonName != want || c.Issuer() != want {
				t.Errorf("the issuer is %s, %v, want %s", c.Issuer(), err, want)
			}
		}
		served("first")
		issue("second")
		if err := os.Rename(keyFile, keyFile+".late"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		served("first") // its key is missing
		if err := os.Rename(keyFile+".late", keyFile); err != nil {
			t.Fatal(err)
		}
		time.Sleep(11 * time.Second)
		served("second")
		if len(loaded) != 2 || loaded[0].Equal(loaded[1]) {
			t.Errorf("expiries of loaded certificates: %v", loaded)
		}
	})
	if _, err := listener.NewCertificate(dir+"/absent.pem", keyFile, nil).TLSConfig(); err == nil {
		t.Error("a missing file is no error")
	}
}
