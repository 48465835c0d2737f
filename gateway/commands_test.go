package gateway_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/gateway"
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/mongodb/mongodbtest"
)

// TestRefusedCommands passes invalid values to flags. The errors name the flags, and no
// organization, user or key is created.
func TestRefusedCommands(t *testing.T) {
	database := filepath.Join(t.TempDir(), "gateway.db")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--scopes", ""}, "--scopes must not be empty"},
		{[]string{"--scopes="}, "--scopes must not be empty"},
		{[]string{"--scopes", " "}, `unknown scope ""`},
		{[]string{"--scopes", "convert,"}, `unknown scope ""`},
		{[]string{"--scopes", "convert", "--scopes", "everything"}, `unknown scope "everything"`},
		{[]string{"--scopes", "Convert"}, `unknown scope "Convert"; the scopes are *, documents:read, `},
		{[]string{"--email", ""}, "--email must not be empty"},
		{[]string{"--email", "zoe"}, `--email: "zoe" is not an e-mail address`},
		{[]string{"--email", "zoe@localhost"}, "is not an e-mail address"},
		{[]string{"--email", "Zoe <zoe@acme.example>"}, "is not an e-mail address"},
		{[]string{"--email", "zoe@acme.example\n"}, "is not an e-mail address"},
		{[]string{"--organization", ""}, "--organization must not be empty"},
		{[]string{"--name", ""}, "--name must not be empty"},
		{[]string{"--rate", ""}, "--rate must not be empty"},
		{[]string{"--rate", "0/min"}, "--rate: "},
		{[]string{"--rate", "-5/min"}, "--rate: "},
		{[]string{"--rate", "1000000001/min"}, "--rate: "},
		{[]string{"--rate", "99999999999999999999/min"}, "--rate: "},
		{[]string{"--expires", ""}, "--expires must not be empty"},
		{[]string{"--expires", "0d"}, "--expires: "},
		{[]string{"--expires", "-3d"}, "--expires: "},
		{[]string{"--expires", "0s"}, "--expires: "},
		{[]string{"--expires", "-1h"}, "--expires: "},
		{[]string{"--expires", "365001d"}, "--expires: "},
		{[]string{"--expires", "2020-01-01"}, "--expires: "},
		{[]string{"--scopes", "", "--expires", ""}, "--expires must not be empty"},
	} {
		out, err := run(t.Context(), database, append([]string{"keys", "create"}, c.args...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("keys create %q: %v, want %q\n%s", c.args, err, c.want, out)
		}
	}
	for _, args := range [][]string{
		{"users", "create", "--email", "zoe"}, {"users", "create", "--email", ""}, {"users", "create"},
		{"users", "create", "--email", "zoe@acme.example", "--name", ""}, {"keys", "rotate", "key_x", "--grace", "-1h"},
	} {
		if out, err := run(t.Context(), database, args...); err == nil {
			t.Errorf("%q returned no error: %s", args, out)
		}
	}
	if out, err := run(t.Context(), database, "keys", "list", "--json"); err != nil || strings.TrimSpace(out) != "[]" {
		t.Errorf("keys were created: %s, %v", out, err)
	}
	if out, err := run(t.Context(), database, "users", "list"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("users were created: %s, %v", out, err)
	}
}

// TestUsersOfKeys creates keys for existing and for new users, in each kind of database.
func TestUsersOfKeys(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { testUsersOfKeys(t, filepath.Join(t.TempDir(), "gateway.db")) })
	t.Run("MongoDB", func(t *testing.T) { testUsersOfKeys(t, mongodbtest.URL(t)) })
}

func testUsersOfKeys(t *testing.T, database string) {
	for _, c := range []struct {
		args []string
		want contract.User
	}{
		{nil, contract.User{Email: "admin@localhost", Name: "Administrator"}},
		{[]string{"--email", "ADMIN@localhost", "--name", "Another Name"}, contract.User{Email: "admin@localhost", Name: "Administrator"}},
		{[]string{"--email", "Zoe@acme.example", "--name", "Zoë Ünal"}, contract.User{Email: "Zoe@acme.example", Name: "Zoë Ünal"}},
		{[]string{"--email", "zoe@ACME.example"}, contract.User{Email: "Zoe@acme.example", Name: "Zoë Ünal"}},
		{[]string{"--email", "bob@acme.example"}, contract.User{Email: "bob@acme.example"}}, // without a name
		{[]string{"--organization", "Acme", "--email", "zoe@acme.example", "--name", "Another Zoë"}, contract.User{Email: "zoe@acme.example", Name: "Another Zoë"}},
		{[]string{"--organization", "Beta", "--name", "Ann"}, contract.User{Email: "admin@localhost", Name: "Ann"}},
	} {
		out, err := run(t.Context(), database, append([]string{"keys", "create", "--json"}, c.args...)...)
		var made struct{ User contract.User }
		if err == nil {
			err = json.Unmarshal([]byte(out), &made)
		}
		c.want.ID = made.User.ID
		if err != nil || made.User != c.want || made.User.ID == "" {
			t.Errorf("%q: got %+v, %v, want %+v", c.args, made.User, err, c.want)
		}
	}
}

// TestCreatedOrganization checks that commands say which organization they create, which may
// be a misspelling of another one.
func TestCreatedOrganization(t *testing.T) {
	database := filepath.Join(t.TempDir(), "gateway.db")
	created := regexp.MustCompile(`^Created the organization (.*) \(org_\w+\)\.\n$`)
	for _, c := range []struct{ args, want string }{
		{"users create --email bob@acme.example --organization Acme", "Acme"}, {"users create --email zoe@acme.example --organization Acme", ""},
		{"keys create --organization Typpo", "Typpo"}, {"keys create --organization Typpo", ""}, {"keys create", ""},
	} {
		var notes strings.Builder
		if _, err := runNoting(t.Context(), database, &notes, strings.Fields(c.args)...); err != nil {
			t.Fatal(err)
		}
		got := ""
		if m := created.FindStringSubmatch(notes.String()); m != nil {
			got = m[1]
		}
		if got != c.want || got == "" && notes.Len() > 0 {
			t.Errorf("%s creates the organization %q, want %q:\n%s", c.args, got, c.want, &notes)
		}
	}
}

// TestKeyLink prints a link for a key, but not for one that is unknown or revoked.
func TestKeyLink(t *testing.T) {
	database := filepath.Join(t.TempDir(), "gateway.db")
	out, err := run(t.Context(), database, "keys", "create", "--json")
	var made struct{ ID string }
	if err == nil {
		err = json.Unmarshal([]byte(out), &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err = run(t.Context(), database, "keys", "link", made.ID)
	if link := regexp.MustCompile(`^https://recto\.example/console#sign-in=rs_link_[0-9A-Za-z]{49}\n$`); err != nil || !link.MatchString(out) {
		t.Errorf("keys link prints %q, %v", out, err)
	}
	if out, err := run(t.Context(), database, "keys", "link", "key_9"); err == nil || !strings.Contains(err.Error(), "not found; gateway keys list shows") || out != "" {
		t.Errorf("an unknown key: %q, %v", out, err)
	}
	if _, err := run(t.Context(), database, "keys", "revoke", made.ID); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t.Context(), database, "keys", "link", made.ID); err == nil || !strings.Contains(err.Error(), "no longer valid") || out != "" {
		t.Errorf("a revoked key: %q, %v", out, err)
	}
}

// TestPublicURL reads the address of links from the environment.
func TestPublicURL(t *testing.T) {
	for _, tc := range []struct {
		environ []string
		want    string
	}{{nil, "https://127.0.0.1:8443"}, {[]string{"GATEWAY_PUBLIC_URL=https://recto.example"}, "https://recto.example"}} {
		if got, err := gateway.PublicURL(tc.environ); err != nil || got != tc.want {
			t.Errorf("PublicURL(%q) = %q, %v; want %q", tc.environ, got, err, tc.want)
		}
	}
}

// TestScopesAndExpiryOfKeys creates keys with boundary values.
func TestScopesAndExpiryOfKeys(t *testing.T) {
	database := filepath.Join(t.TempDir(), "gateway.db")
	for _, args := range [][]string{
		{"--scopes", "convert, insights,convert"}, {}, {"--rate", "1000000000/min", "--expires", "365000d"},
	} {
		if _, err := run(t.Context(), database, append([]string{"keys", "create"}, args...)...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	var keys []struct {
		Scopes    []string
		Rate      string
		ExpiresAt time.Time `json:"expires_at"`
	}
	out, err := run(t.Context(), database, "keys", "list", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &keys)
	}
	if err != nil || len(keys) != 3 {
		t.Fatalf("%v\n%s", err, out)
	}
	if got := fmt.Sprint(keys[0].Scopes, keys[1].Scopes); got != "[convert insights] [*]" {
		t.Errorf("the scopes are %s", got)
	}
	if table, err := run(t.Context(), database, "keys", "list"); err != nil || !strings.Contains(table, " convert,insights ") || strings.Contains(table, "[*]") {
		t.Errorf("the table does not show scopes as --scopes reads them: %v\n%s", err, table)
	}
	if keys[2].Rate != "1000000000/min" || !keys[2].ExpiresAt.After(time.Now().AddDate(900, 0, 0)) {
		t.Errorf("the last key is %+v", keys[2])
	}
}
