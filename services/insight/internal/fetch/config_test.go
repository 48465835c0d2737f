package fetch_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/config"
	"github.com/rectohq/recto/services/insight/internal/fetch"
)

func TestDefaults(t *testing.T) {
	var cfg fetch.Config
	if err := config.Load(nil, "INSIGHT_", &cfg); err != nil {
		t.Fatal(err)
	}
	if cfg.MaxBytes != 25<<20 || cfg.Timeout != 30*time.Second || cfg.HTTP || len(cfg.Allow) > 0 {
		t.Errorf("got %+v", cfg)
	}
	if _, err := fetch.New(cfg); err != nil {
		t.Error(err)
	}
}

func TestConfig(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none.pem")
	if err := os.WriteFile(none, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{
		"INSIGHT_URL_ALLOW=10.0.0.0/8, fd00::/8":   "",
		"INSIGHT_URL_ALLOW=10.0.0.1":               "INSIGHT_URL_ALLOW",
		"INSIGHT_URL_ALLOW=::ffff:10.0.0.0/104":    "INSIGHT_URL_ALLOW",
		"INSIGHT_URL_PORTS=8443, 9443":             "",
		"INSIGHT_URL_PORTS=0":                      "INSIGHT_URL_PORTS",
		"INSIGHT_URL_PORTS=65536":                  "INSIGHT_URL_PORTS",
		"INSIGHT_URL_MAX_BYTES=0":                  "INSIGHT_URL_MAX_BYTES",
		"INSIGHT_URL_TIMEOUT=0s":                   "INSIGHT_URL_TIMEOUT",
		"INSIGHT_URL_CA_FILE=" + none:              "INSIGHT_URL_CA_FILE",
		"INSIGHT_URL_CA_FILE=" + none + ".missing": "INSIGHT_URL_CA_FILE",
	} {
		var cfg fetch.Config
		loaded := config.Load([]string{variable}, "INSIGHT_", &cfg)
		_, made := fetch.New(cfg)
		for _, err := range []error{loaded, made} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: got %v, want %q", variable, err, want)
			}
		}
	}
}
