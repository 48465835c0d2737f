package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	Nested  struct{ inner inner } // not exported, so ignored
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

// TestPrefix gives the variables of a shared struct the prefix of each part.
func TestPrefix(t *testing.T) {
	type shared struct {
		Wait time.Duration `env:"WAIT" envDefault:"5s" desc:"how long"`
		Key  string        `env:"KEY,notEmpty" secret:"true" desc:"a key"`
		Left int           // set by the part
	}
	type parts struct {
		One shared `envPrefix:"ONE_"`
		Two struct {
			Inner shared `envPrefix:"TWO_"`
		} `envPrefix:"OUTER_"`
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("k2"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c parts
	err := config.Load([]string{"ONE_WAIT=1s", "ONE_KEY=k1", "OUTER_TWO_KEY_FILE=" + path, "WAIT=9s"}, "ONE_ OUTER_", &c)
	if want := (shared{Wait: time.Second, Key: "k1"}); err != nil || c.One != want {
		t.Errorf("got %+v, %v", c.One, err)
	}
	if want := (shared{Wait: 5 * time.Second, Key: "k2"}); c.Two.Inner != want {
		t.Errorf("got %+v", c.Two.Inner)
	}
	err = config.Load([]string{"ONE_WAIT=soon", "ONE_KEY=k", "OUTER_TWO_WIAT=1s"}, "ONE_ OUTER_", &c)
	for _, want := range []string{"  ONE_WAIT is not a valid duration", "  OUTER_TWO_KEY must be set: a key", "  OUTER_TWO_WIAT is not known; did you mean OUTER_TWO_WAIT?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if c.One.Wait != 5*time.Second {
		t.Errorf("the invalid variable is %s, not its default", c.One.Wait)
	}
	var table strings.Builder
	config.WriteMarkdown(&table, &c)
	if want := "| `OUTER_TWO_KEY`, `OUTER_TWO_KEY_FILE` | required | a key |\n"; !strings.Contains(table.String(), want) {
		t.Errorf("the table is\n%s", &table)
	}
}

func TestLoadReportsEveryProblem(t *testing.T) {
	var c settings
	err := config.Load([]string{"TEST_POOL=0", "TEST_TIMEOUT=hidden", "TEST_ON=maybe", "TEST_TIMEOTU=1s", "TEST_SECRET=a", "TEST_SECRET_FILE=/x"}, "TEST_", &c)
	if err == nil {
		t.Fatal("the configuration is accepted")
	}
	for _, want := range []string{
		"TEST_URL", "TEST_POOL must be at least 1", "TEST_TIMEOUT is not a valid duration", "TEST_ON is not a valid boolean",
		"TEST_TIMEOTU is not known; did you mean TEST_TIMEOUT", "TEST_SECRET and TEST_SECRET_FILE are both set",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hidden") {
		t.Errorf("the error repeats a value, which may be a secret:\n%v", err)
	}
}

// TestEachProblemOnce checks that an invalid variable is reported by its own name, only
// once, and not by a rule as well.
func TestEachProblemOnce(t *testing.T) {
	var c struct {
		One struct {
			Pool inner
			Wait time.Duration `env:"ONE_WAIT" envDefault:"5s" desc:"how long"`
			Open *bool         `env:"ONE_OPEN" desc:"whether"`
		}
		Two struct {
			Wait time.Duration `env:"TWO_WAIT" desc:"how long"`
			Pool int           `env:"TEST_POOL" envDefault:"4" desc:"the same"`
			Key  string        `env:"TWO_KEY,notEmpty" secret:"true" desc:"a key"`
			Name string        `env:"TWO_NAME,notEmpty" desc:"a name"`
		}
	}
	err := config.Load([]string{"TWO_WAIT=soon", "TEST_POOL=four", "ONE_OPEN=wide", "TWO_KEY_FILE=/nowhere"}, "ONE_ TWO_", &c)
	want := []string{
		"the configuration has problems:",
		"  TEST_POOL is not a valid integer",
		`  ONE_OPEN is not a valid boolean: "true" or "false"`,
		"  TWO_KEY_FILE: open /nowhere: no such file or directory",
		`  TWO_WAIT is not a valid duration, such as "30s" or "5m"`,
		"  TWO_NAME must be set: a name",
	}
	if err == nil {
		t.Fatal("the configuration is accepted")
	}
	got := strings.Split(err.Error(), "\n")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the error is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := config.Load([]string{"ONE_OPEN=false", "TWO_KEY=k", "TWO_NAME=n"}, "", &c); err != nil || c.One.Open == nil || *c.One.Open || c.One.Wait != 5*time.Second {
		t.Errorf("got %+v, %v", c, err)
	}
}

// TestLoadFixed checks that the environment cannot set the variables that a program sets
// itself, and that messages do not suggest them.
func TestLoadFixed(t *testing.T) {
	fixed := config.Fixed{
		Program: "recto up", Variables: []string{"TEST_URL=x", "TEST_SECRET=own", "TEST_POOL=4"}, Instead: map[string]string{"TEST_URL": "--addr"}, Unlisted: []string{"TEST_ON"},
	}
	for _, tc := range []struct{ variable, prefix, want string }{
		{"TEST_URL=y", "TEST_", "  TEST_URL is not supported by recto up: use --addr"},
		{"TEST_SECRET=hidden", "TEST_", "  TEST_SECRET is not supported by recto up"},
		{"TEST_SECRET_FILE=/nowhere", "TEST_", "  TEST_SECRET_FILE is not supported by recto up"},
		{"TEST_ULR=y", "TEST_", "  TEST_ULR is not known; did you mean TEST_TIMEOUT? See --help"},
		{"TEST_OM=true", "TEST_", "  TEST_OM is not known; did you mean TEST_TIMEOUT? See --help"},
		{"TEST_URL=", "TEST_", ""}, {"TEST_ON=true", "TEST_", ""}, {"TEST_TIMEOUT=1s", "TEST_", ""},
		{"TEST_URL=y", "OWN_", ""}, {"TEST_SECRET_FILE=/nowhere", "OWN_", ""}, {"TEST_URI=y", "OWN_", ""}, // perhaps of another program
	} {
		var c settings
		err := config.LoadFixed([]string{tc.variable}, tc.prefix, fixed, &c)
		if want := "the configuration has problems:\n" + tc.want; (err != nil) != (tc.want != "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", tc.variable, err, tc.want)
		}
		if c.URL != "x" || c.Secret != "own" || c.Inner.Pool != 4 {
			t.Errorf("%s changes the configuration to %+v", tc.variable, c)
		}
	}
}

// TestSlips checks which unknown variables are rejected if their prefix is shared with
// other programs.
func TestSlips(t *testing.T) {
	for name, refused := range map[string]bool{
		"TEST_URI": true, "TEST_POOOL": true, "TEST_OTHER": false, "TESTURL": false, "UEST_URL": false,
		"OTHER_TEST_URL": false, "OWN_ANYTHING": true, "SECOND_ANYTHING": true,
	} {
		var c settings
		err := config.Load([]string{"TEST_URL=x", name + "=1"}, "OWN_ SECOND_", &c)
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), name+" is not known") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProblems(t *testing.T) {
	for name, tc := range map[string]struct {
		check     func(*config.Problems, string)
		good, bad []string
	}{
		"address": {
			func(p *config.Problems, v string) { p.Address("X", v) },
			[]string{"", ":0", ":8080", "127.0.0.1:80", "[::1]:80", "localhost:http"}, []string{"8080", "localhost", ":70000", ":x", "::1:80"},
		},
		"origin": {
			func(p *config.Problems, v string) { p.Origin("X", v, "http", "https") },
			[]string{"", "http://a", "https://a.example:9000", "http://[::1]:80"},
			[]string{"a.example", "ftp://a", "http://", "http://:80", "http://a/", "http://a/b", "http://a?", "http://a?b", "http://a#b", "http://u:secret@a", "http://a:x", "http://a:70000", "http://a b", "\x00"},
		},
		"URL": {
			func(p *config.Problems, v string) { p.URL("X", v, "http", "https") },
			[]string{"", "http://a", "https://u:secret@a/b?c"}, []string{"a", "a:80", "nats://a", "http:///b", "http://u:secret@/b", "http://a:secret"},
		},
		"folder": {func(p *config.Problems, v string) { p.Dir("X", v) }, []string{t.TempDir()}, []string{"", "/nowhere", "/dev/null"}},
	} {
		for _, value := range append(tc.good, tc.bad...) {
			var p config.Problems
			tc.check(&p, value)
			bad := slices.Contains(tc.bad, value)
			if len(p) > 1 || (len(p) == 1) != bad || bad && !strings.HasPrefix(p[0].Error(), "  X") || strings.Contains(fmt.Sprint(p), "secret") {
				t.Errorf("%s %q: %v", name, value, p)
			}
		}
	}
	var p config.Problems
	p.Positive("X", 0)
	p.Positive("Y", 1)
	config.AtLeast(&p, "Z", 1, 2)
	config.AtLeast(&p, "Z", 2, 2)
	if len(p) != 2 || p[0].Error() != "  X must be longer than 0s" || p[1].Error() != "  Z must be at least 2" {
		t.Errorf("got %v", p)
	}
}

func TestServiceLinksAreAccepted(t *testing.T) {
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
	config.WriteHelp(&help, config.Fields(&settings{}), config.Section{Title: "Test"})
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

// TestHelpSections sorts variables into sections, required variables first.
func TestHelpSections(t *testing.T) {
	var help strings.Builder
	fields := []config.Field{{Name: "A_1", Default: "1"}, {Name: "B_1"}, {Name: "A_2", Required: true}, {Name: "C_1"}}
	config.WriteHelp(&help, fields, config.Section{Title: "First", Prefixes: "A_"}, config.Section{Title: "None", Prefixes: "X_ Y_"}, config.Section{Title: "Rest"})
	var names []string
	for _, line := range strings.Split(help.String(), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	if got := strings.Join(names, " "); got != "First: A_2 A_1 Rest: B_1 C_1" {
		t.Errorf("the order of the help is %s:\n%s", got, &help)
	}
}
