package mongodb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rectohq/recto/libs/mongodb"
)

func TestIsURL(t *testing.T) {
	for name, want := range map[string]bool{
		"mongodb://h/d": true, "mongodb+srv://h/d": true, "mongodb": false, "/var/lib/document.db": false, "file:x.db": false, "": false,
	} {
		if got := mongodb.IsURL(name); got != want {
			t.Errorf("IsURL(%q) = %v", name, got)
		}
	}
}

func TestValidateAccepts(t *testing.T) {
	for _, url := range []string{
		"mongodb://h/d", "mongodb://h:1/d?", "mongodb://a:1,b:2,[::1]:3/recto_documents?replicaSet=rs0&w=majority&journal=true",
		"mongodb://u:s%40cr%2Ft@h/d?authSource=admin&tls=true&readPreference=primary&retryWrites=true&appName=@x@",
		"mongodb://u:p@h/d?maxPoolSize=5&minPoolSize=1&timeoutMS=3000&serverSelectionTimeoutMS=1000",
		"mongodb+srv://u:p@cluster.example.com/d?retryWrites=true&w=majority", "mongodb+srv://cluster.example.com/d?srvMaxHosts=2",
	} {
		if err := mongodb.Validate("TEST_DATABASE", url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestProblems checks database names as they appear in configurations.
func TestProblems(t *testing.T) {
	for database, want := range map[string]string{
		"mongodb://h/d": "", "/var/lib/document.db": "", "file:x.db": "", "": "",
		"mongodb://h": "  TEST_DATABASE names no database", "postgres://u:secret@h/d": "  TEST_DATABASE must be the path of a SQLite database, or a URL",
	} {
		problems := mongodb.Problems("TEST_DATABASE", database)
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), want)) {
			t.Errorf("%s: %v, want %q", database, problems, want)
		}
		if strings.Contains(fmt.Sprint(problems), "secret") {
			t.Errorf("%s: the problem repeats it: %v", database, problems)
		}
	}
}

// TestValidateRefuses makes every mistake. No message may contain a part of the password,
// even if a character of the password was not escaped and its rest is parsed as a host, a
// database or an option.
func TestValidateRefuses(t *testing.T) {
	for url, want := range map[string]string{
		"mongodb://h":                                  "names no database: write mongodb://host:27017/name",
		"mongodb://h/":                                 "names no database",
		"mongodb+srv://h":                              "names no database",
		"mongodb:///d":                                 "must have at least 1 host",
		"mongodb://h:x/d":                              "invalid host",
		"mongodb://h:99999/d":                          "port must be in the range",
		"mongodb://h/a.b":                              "letters, digits",
		"mongodb://h/" + strings.Repeat("x", 64):       "at most 63",
		"mongodb://h/d?w=0":                            "must not set w=0",
		"mongodb://h/d?w=0&journal=true":               "w=0",
		"mongodb://h/d?journal=false":                  "must not set journal=false",
		"mongodb://h/d?readPreference=nearest":         "must not set a readPreference",
		"mongodb://h/d?timeoutMS=secret":               `invalid value for "timeoutMS"`,
		"mongodb://h/d?maxPoolSise=5":                  "unknown options: maxpoolsise",
		"mongodb+srv://h/d?maxPoolSise=5":              "unknown options: maxpoolsise",
		"mongodb://h/d?maxPoolSize=1&minPoolSize=2":    "minPoolSize must be",
		"mongodb://h/d?tlsCAFile=/no/such/file":        "/no/such/file",
		"mongodb://h/d?replicaSet":                     "invalid option",
		"mongodb://a,b/d?directConnection=true":        "direct connection",
		"mongodb://u@h/d?authMechanism=SCRAM-SHA-256":  "password required",
		"mongodb://u:%zzsecret@h/d":                    "invalid password",
		"mongodb://u:%zzsecret@h:x/d":                  "invalid password",
		"mongodb://u:p@secret@h/d":                     "unescaped @ sign",
		"mongodb://u:p@secret:word/secret@h/d":         "invalid host",
		"mongodb://u:p@ss/secret@h/d":                  "write /, : and @ in a user or password as %2F, %3A and %40",
		"mongodb://u:p@ss/%zzsecret@h/d":               "invalid database",
		"mongodb://u:secret/x@h/d":                     "unescaped slash in password",
		"mongodb://u:a:secret@h/d":                     "unescaped colon in password",
		"mongodb://u:p@h/d?tls=true&ssl=secret":        `invalid value for "ssl"`,
		"mongodb://h/d?tlsCertificateKeyFile=%zsecret": "invalid option value",
		"mongodb+srv://u:%zzsecret@h/d":                "invalid password",
		"mongodb+srv://u:p@ss/secret@h/d":              "letters, digits",
		"postgres://u:secret@h/d":                      "scheme must be",
	} {
		err := mongodb.Validate("TEST_DATABASE", url)
		if err == nil {
			t.Errorf("%s is accepted", url)
			continue
		}
		if !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "TEST_DATABASE ") {
			t.Errorf("%s: got %q, want %q", url, err, want)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the message repeats it: %q", url, err)
		}
	}
}
