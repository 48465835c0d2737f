package manifests

import (
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// snapshot returns the content of every secret by its path.
func snapshot(t *testing.T) map[string]string {
	t.Helper()
	content := map[string]string{}
	err := filepath.WalkDir(secrets(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		text, err := os.ReadFile(path)
		content[path] = string(text)
		return err
	})
	if err != nil || len(content) == 0 {
		t.Fatal(len(content), err)
	}
	return content
}

// TestCreateSecrets checks that create-secrets keeps what exists, creates what is missing,
// and renews only the certificate if a host is added.
func TestCreateSecrets(t *testing.T) {
	before := snapshot(t)
	if err := createSecrets(); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(snapshot(t), before) {
		t.Error("a second run changed something")
	}
	missing := filepath.Join(secrets(), "gateway/redis-url")
	if err := os.Remove(missing); err != nil {
		t.Fatal(err)
	}
	if err := createSecrets("RECTO_HOSTS=api.example.com,10.1.2.3"); err != nil {
		t.Fatal(err)
	}
	after := snapshot(t)
	for path, text := range before {
		renewed := filepath.Base(filepath.Dir(path)) == "tls" && filepath.Base(path) != "ca.crt" && filepath.Base(path) != "ca.key"
		if (after[path] != text) != renewed {
			t.Errorf("%s: changed is %v, want %v", path, after[path] != text, renewed)
		}
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(secrets(), "tls/tls.crt"), filepath.Join(secrets(), "tls/tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(after[filepath.Join(secrets(), "tls/ca.crt")]))
	for _, host := range []string{"localhost", "127.0.0.1", "gateway.recto.svc", "nats", "api.example.com", "10.1.2.3"} {
		usages := []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots, KeyUsages: usages}); err != nil {
			t.Error(err)
		}
	}
}
