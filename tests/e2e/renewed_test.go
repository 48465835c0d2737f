package e2e

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/testkit/patience"
	"github.com/rectohq/recto/tests/harness"
)

// TestRenewedCertificate renews the certificate of the standalone program while it runs. The
// API and the object store serve the new one without a restart.
func TestRenewedCertificate(t *testing.T) {
	harness.StandaloneOnly(t)
	t.Parallel() // it waits for the next look at the files
	s := harness.Start(t, harness.Options{})
	var d struct {
		Files []struct {
			UploadURL string `json:"upload_url"`
		}
	}
	s.Client(t).Post("/documents", map[string]any{"name": "x", "files": []any{map[string]string{"name": "a.txt", "type": "text/plain"}}}).OK(&d)
	serial := func(at string) string {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := tls.Dial("tcp", u.Host, s.TLS())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	addresses := []string{s.BaseURL, d.Files[0].UploadURL}
	old := serial(addresses[0])
	file, _ := s.Certificate()
	if err := os.Remove(file); err != nil { // as if it were about to expire
		t.Fatal(err)
	}
	if out, ok := runRecto(t, "certificates", "--dir", strings.TrimSuffix(file, "/server.pem"), "--host", "localhost,127.0.0.1"); !ok {
		t.Fatal(out)
	}
	for _, at := range addresses {
		patience.Until(t, at+" is served with the new certificate", func() bool { return serial(at) != old })
	}
	if a := s.Client(t).Raw(http.MethodPut, d.Files[0].UploadURL, []byte("text"), nil); a.Status != http.StatusOK {
		t.Errorf("an upload gets %d %s", a.Status, a.Body)
	}
}
