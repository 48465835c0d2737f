package datadir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rectohq/recto/deploy/standalone/internal/datadir"
	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/contract"
)

func open(t *testing.T) datadir.Dir {
	t.Helper()
	d, err := datadir.Open(filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSecretsStay(t *testing.T) {
	d := open(t)
	if _, err := datadir.Find(d.Path()); err == nil {
		t.Error("an empty folder counts as a data folder")
	}
	first, err := d.Secrets()
	if err != nil || first.Peppers == "" || len(first.ObjectSecretKey) < 64 || first.ObjectAccessKey == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	if again, err := d.Secrets(); err != nil || again != first {
		t.Errorf("the secrets changed from %+v to %+v, %v", first, again, err)
	}
	if found, err := datadir.Find(d.Path()); err != nil || found != d {
		t.Errorf("Find = %v, %v", found, err)
	}
	if other, err := open(t).Secrets(); err != nil || other.ObjectSecretKey == first.ObjectSecretKey {
		t.Errorf("two folders have the same secret, %v", err)
	}
}

func TestLock(t *testing.T) {
	d := open(t)
	if err := d.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := d.Lock(); err == nil || !strings.Contains(err.Error(), "another Recto runs") {
		t.Errorf("a second lock: %v", err)
	}
}

// TestCredentials checks that credentials survive a program that ends after creating them
// and before it is ready.
func TestCredentials(t *testing.T) {
	d := open(t)
	if c, err := d.Publish("https://a/v2", "/ca.pem"); err != nil || c.APIKey != "" {
		t.Errorf("before any are delivered: %+v, %v", c, err)
	}
	made := gateway.Credentials{APIKey: "rk_live_1", OrganizationID: "org_1", User: contract.User{ID: "user_1", Email: "a@example.com", Name: "Zoë"}}
	if err := d.Deliver(made); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Credentials()); !os.IsNotExist(err) {
		t.Errorf("clients see credentials before the program is ready: %v", err)
	}
	if c, err := d.Published(); err != nil || c.APIKey != "" {
		t.Errorf("Published, before Publish: %+v, %v", c, err)
	}
	want := datadir.Credentials{BaseURL: "https://a/v2", CAFile: "/ca.pem", Credentials: made}
	if c, err := d.Publish("https://a/v2", "/ca.pem"); err != nil || c != want {
		t.Errorf("Publish = %+v, %v", c, err)
	}
	content, err := os.ReadFile(d.Credentials())
	if err != nil || !strings.Contains(string(content), `"api_key": "rk_live_1"`) || !strings.Contains(string(content), `"name": "Zoë"`) {
		t.Errorf("credentials.json holds %s, %v", content, err)
	}
	want.BaseURL = "https://b/v2"
	if c, err := d.Publish("https://b/v2", "/ca.pem"); err != nil || c != want {
		t.Errorf("at another address: %+v, %v", c, err)
	}
	newer := made
	newer.APIKey = "rk_live_2"
	if err := d.Deliver(newer); err != nil {
		t.Fatal(err)
	}
	if c, err := d.Publish("https://b/v2", "/ca.pem"); err != nil || c.APIKey != "rk_live_2" {
		t.Errorf("after newer ones were delivered: %+v, %v", c, err)
	}
	want.APIKey = "rk_live_2"
	if c, err := d.Published(); err != nil || c != want {
		t.Errorf("Published = %+v, %v; want %+v", c, err, want)
	}
	if err := os.WriteFile(d.Credentials(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Publish("https://b/v2", "/ca.pem"); err == nil {
		t.Error("damaged credentials are not reported")
	}
	if _, err := d.Published(); err == nil {
		t.Error("Published does not report damaged credentials")
	}
}
