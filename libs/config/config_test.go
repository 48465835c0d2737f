package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/config"
)

type inner struct {
	Pool int `env:"TEST_POOL" envDefault:"4" desc:"pool | size"`
}

func (c inner) Validate() []error {
	if c.Pool < 1 {
		return []error{errors.New("  TEST_POOL must be at least 1")}
	}
	return nil
}

type settings struct {
	URL     string                `env:"TEST_URL,notEmpty" desc:"where"`
	Timeout time.Duration         `env:"TEST_TIMEOUT" envDefault:"5s" desc:"how long"`
	On      bool                  `env:"TEST_ON" desc:"whether"`
	Secret  string                `env:"TEST_SECRET" secret:"true" desc:"a secret"`
	Nested  struct{ inner inner } // not exported: left alone
	Inner   inner
}

func TestLoad(t *testing.T) {
	var c settings
	if err := config.Load([]string{"TEST_URL=x", "TEST_POOL=9", "OTHER=1", "TEST_ON=true"}, "TEST_", &c); err != nil {
		t.Fatal(err)
	}
	if c.URL != "x" || c.Timeout != 5*time.Second || !c.On || c.Inner.Pool != 9 {
		t.Errorf("got %+v", c)
	}
}

func TestLoadReportsEveryProblem(t *testing.T) {
	var c settings
	err := config.Load([]string{"TEST_POOL=0", "TEST_TIMEOUT=hidden", "TEST_ON=maybe", "TEST_TIMEOTU=1s", "TEST_SECRET=a", "TEST_SECRET_FILE=/x"}, "TEST_", &c)
	if err == nil {
		t.Fatal("it is accepted")
	}
	for _, want := range []string{
		"TEST_URL", "TEST_POOL must be at least 1", "TEST_TIMEOUT is not a valid duration", "TEST_ON is not a valid boolean",
		"TEST_TIMEOTU is not known; did you mean TEST_TIMEOUT", "TEST_SECRET and TEST_SECRET_FILE are both set",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("it repeats a value, which may be a secret:\n%v", err)
	}
}

func TestServiceLinksAreNoMistake(t *testing.T) {
	var c settings
	environ := []string{
		"TEST_URL=x", "TEST_SERVICE_HOST=10.0.0.1", "TEST_SERVICE_PORT=1", "TEST_SERVICE_PORT_HTTP=1", "TEST_PORT=tcp://10.0.0.1:1",
		"TEST_PORT_4222_TCP=tcp://10.0.0.1:4222", "TEST_PORT_4222_TCP_ADDR=10.0.0.1", "TEST_PORT_4222_TCP_PROTO=tcp",
	}
	if err := config.Load(environ, "TEST_", &c); err != nil {
		t.Error(err)
	}
}

func TestSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(" s3cret \r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c settings
	if err := config.Load([]string{"TEST_URL=x", "TEST_SECRET_FILE=" + path}, "TEST_", &c); err != nil || c.Secret != " s3cret " {
		t.Errorf("got %q, %v", c.Secret, err)
	}
	if err := config.Load([]string{"TEST_URL=x", "TEST_SECRET_FILE=/nowhere"}, "TEST_", &c); err == nil {
		t.Error("a missing file is accepted")
	}
}

func TestTables(t *testing.T) {
	var help, table strings.Builder
	config.WriteHelp(&help, &settings{})
	config.WriteMarkdown(&table, &settings{})
	for _, want := range []string{"TEST_URL", "required", "5s", "not set", "TEST_POOL"} {
		if !strings.Contains(help.String(), want) || !strings.Contains(table.String(), want) {
			t.Errorf("the tables lack %q:\n%s\n%s", want, &help, &table)
		}
	}
	if !strings.Contains(table.String(), "| `TEST_SECRET`, `TEST_SECRET_FILE` | not set | a secret |\n") || !strings.Contains(table.String(), `pool \| size`) {
		t.Errorf("the table is\n%s", &table)
	}
}
